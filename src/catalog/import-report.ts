/** What an import has to say of its rows, the same things together: "412 rows: gtin was left out, first at line 7". */
import type { RowProblem } from './import/rows.ts'
import type { ReportGroup } from './import-files.schema.ts'

/** A file cannot be wrong in more ways than anybody would read. */
const MOST_GROUPS = 200

export function createReport() {
  const groups = new Map<string, ReportGroup>()
  let others = 0
  return {
    add(isRefusal: boolean, { line, item, field, problem, fix, id, value }: RowProblem): void {
      const key = JSON.stringify([isRefusal, field, problem])
      const known = groups.get(key)
      if (known) known.rows++
      else if (groups.size >= MOST_GROUPS) others++
      else {
        const first = { line, item: item ?? null, id: id ?? null, value: value ?? null }
        groups.set(key, { isRefusal, field, problem, fix, rows: 1, first })
      }
    },
    /** Refusals first, then by how many rows they tell of. */
    groups: (): ReportGroup[] =>
      [...groups.values()].sort((a, b) => Number(b.isRefusal) - Number(a.isRefusal) || b.rows - a.rows),
    /** Rows whose faults are beyond counting apart. */
    others: () => others,
  }
}

/** One sentence of a group. */
export function reportLine({ field, problem, fix, rows, first }: ReportGroup): string {
  const what = `${field ?? 'row'} ${problem}`
  const where = [
    `${rows === 1 ? '' : 'first at '}line ${first.line.toLocaleString('en-US')}`,
    ...(first.item === null ? [] : [`item ${first.item.toLocaleString('en-US')}`]),
    ...(first.id === null ? [] : [`id ${first.id}`]),
    ...(first.value ? [`"${first.value}"`] : []),
  ].join(', ')
  return rows === 1
    ? `${where}: ${what}; ${fix}`
    : `${rows.toLocaleString('en-US')} rows: ${what} (${where}); ${fix}`
}
