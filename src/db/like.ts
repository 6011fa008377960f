import { type RawBuilder, sql } from 'kysely'

/** A pattern for `like` that finds a text anywhere in another: what somebody typed is not to be read as one. */
export function containing(text: string): string {
  // No stored text has a zero character, and the database takes none.
  return `%${text.replaceAll('\0', '').replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** What a list is asked for: a part of it, and a text that its rows hold. */
export type Searched = { search?: string | null; limit: number; offset?: number }

/** True where nothing is searched for, or `text` holds it in any case. */
export function holds(text: RawBuilder<unknown>, search: string | null): RawBuilder<boolean> {
  return search === null ? sql`true` : sql`lower(${text}) like ${containing(search.toLowerCase())}`
}
