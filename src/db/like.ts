/** A pattern for `like` that finds a text anywhere in another: what somebody typed is not to be read as one. */
export function containing(text: string): string {
  // No stored text has a zero character, and the database takes none.
  return `%${text.replaceAll('\0', '').replaceAll(/[\\%_]/g, '\\$&')}%`
}
