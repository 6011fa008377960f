/**
 * What was made of a short text, for the next time: a catalog says "Color: Black" a hundred thousand times. Long texts are
 * hardly ever said twice, and are made anew.
 */

const LONGEST = 80
const MOST = 20_000

/** `make` must give nothing that anybody changes. */
export function rememberShort<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    if (text.length > LONGEST) return make(text)
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= MOST) known.clear()
    const made = make(text)
    // A copy: a piece of a long text would keep all of it.
    known.set(Buffer.from(text, 'utf16le').toString('utf16le'), made)
    return made
  }
}
