/** The addresses of plans. */
export const SETS_PATH = '/sets'
export const PLANS_PATH = '/plans'

/** The form for a plan, with what was typed. */
export function setsPath(wish: string): string {
  return wish === '' ? SETS_PATH : `${SETS_PATH}?${new URLSearchParams({ q: wish })}`
}

export function planPath(id: string): string {
  return `${PLANS_PATH}/${id}`
}

/** What the sellers of everything in a plan answered. */
export function planQuotesPath(id: string): string {
  return `${planPath(id)}/quotes`
}
