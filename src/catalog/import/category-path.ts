/** The path that a text names, outermost first: "Home > Kitchen > Kettles", "Heureka.cz | Tools", "Home/Kitchen/Kettles". */
const MARKS = ['>', '»', '›', '→', '|', '::', ' / ', '\\'] as const

/** What stands above everything says nothing. */
const ROOTS = /^(default category|root( catalog)?|all( products)?|heureka\.(cz|sk)|zbozi\.cz)$/i

const MAX_LEVELS = 12

/** Empty where the text names none. Numbers alone are somebody's key, not a name. */
export function categoryPath(text: string): string[] {
  const mark = MARKS.find((one) => text.includes(one)) ?? (text.split('/').length > 2 ? '/' : null)
  const names = (mark === null ? [text] : text.split(mark)).map((name) => name.trim()).filter(Boolean)
  const path = names.filter((name, at) => at > 0 || names.length === 1 || !ROOTS.test(name))
  return path.every((name) => /^[\d\s-]*$/.test(name)) ? [] : path.slice(0, MAX_LEVELS)
}

/** Of several, the one that says most; the first of those that say as much. */
export function deepest(paths: readonly string[][]): string[] {
  return paths.reduce((best, path) => (path.length > best.length ? path : best), [])
}
