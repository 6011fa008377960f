/** What the makers of feature columns share. */

/** A column that says nothing of anyone. */
export const NOTHING = new Float32Array(0)

/** How much of what is wanted is among the words present, each of which is listed once. */
export function share(wanted: ReadonlySet<string>, present: string[]): number {
  let found = 0
  for (let at = 0; at < present.length; at++) if (wanted.has(present[at] as string)) found++
  return found === 0 ? 0 : found / wanted.size
}
