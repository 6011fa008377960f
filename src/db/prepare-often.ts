/**
 * Statements that come again and again are prepared, once a connection: for most of ours the database takes several times
 * as long to plan as to run. Which those are shows by itself, so nobody has to say it beside each statement.
 *
 * Only statements that name their columns: of a prepared `select *` the database refuses to give what it did not promise,
 * so it would fail on every connection from the moment another node, of a newer version, adds a column.
 */
const OFTEN = 50
/** Each is kept by every connection, with its plan: some ten thousand bytes. */
const MOST_PREPARED = 150
/** Texts that are made up anew each time must not be remembered without end. */
const MOST_KNOWN = 3_000
const UNNAMED_COLUMNS = /\b(?:select|distinct|returning)\s+\*|[\w"]\.\*|,\s*\*/i

/** The name under which a statement is prepared; undefined while it is not. To be asked whenever it is sent. */
export function createPreparer(): (text: string) => string | undefined {
  const sent = new Map<string, number>()
  const names = new Map<string, string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size >= MOST_PREPARED) return name
    const times = (sent.get(text) ?? 0) + 1
    if (times === 1 && sent.size >= MOST_KNOWN) return undefined
    sent.set(text, times)
    if (times !== OFTEN || UNNAMED_COLUMNS.test(text)) return undefined
    names.set(text, `often_${names.size + 1}`)
    return names.get(text)
  }
}
