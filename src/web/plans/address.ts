/** The addresses of plans. */
export const SETS_PATH = '/sets'

/** The form for a plan, with what was typed. */
export function setsPath(wish: string): string {
  return wish === '' ? SETS_PATH : `${SETS_PATH}?${new URLSearchParams({ q: wish })}`
}
