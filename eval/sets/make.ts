/**
 * What the made shops share: chance that is the same on every machine, and tables of words. A line of a table of kinds
 * is `kind | family | how many | names | brands | model lines | lowest and highest price | attributes | accessory of`.
 * A name may imply an attribute, "MFP +multifunction", and "-" leaves the title without a name. A word in capitals
 * stands for a group of words.
 */
export type Value = string | number | boolean

export type Kind = {
  kind: string
  family: string
  count: number
  names: Array<{ name: string; implied: string }>
  brands: string[]
  lines: string[]
  price: [low: number, high: number]
  attributes: Array<[name: string, values: Value[]]>
  /** What it is an accessory of. */
  of: string
}

export function readKinds(table: string, groups: string): Kind[] {
  const known = new Map(readPairs(groups).map(([name, words]) => [name, list(words)]))
  const spread = (cell: string) => list(cell).flatMap((word) => known.get(word) ?? word)
  return linesOf(table).map((line) => {
    const [
      kind = '',
      family = '',
      count = '',
      names = '',
      brands = '',
      lines = '',
      price = '',
      attributes = '',
      of = '',
    ] = line.split('|').map((cell) => cell.trim())
    const [low = 1, high = low] = price.split(' ').map(Number)
    return {
      kind,
      family,
      count: Number(count),
      names: list(names).map((word) => {
        const [name = '', implied = ''] = word.split(' +')
        return { name: name === '-' ? '' : name, implied }
      }),
      brands: spread(brands),
      lines: spread(lines),
      price: [low, high],
      attributes: readPairs(attributes.replaceAll(';', '\n')).map(([name, values]) => [
        name,
        spread(values).map(readValue),
      ]),
      of,
    }
  })
}

/** What a name implies of an attribute: "technology=Laser", "multifunction", "!wireless". */
export function impliedValue(implied: string, attribute: string): Value | undefined {
  if (implied === attribute) return true
  if (implied === `!${attribute}`) return false
  return implied.startsWith(`${attribute}=`) ? readValue(implied.slice(attribute.length + 1)) : undefined
}

/** Lines under headings that start with #. */
export function readSections(table: string): Map<string, string[]> {
  const sections = new Map<string, string[]>()
  let heading = ''
  for (const line of linesOf(table)) {
    if (line.startsWith('#')) heading = line.slice(1).trim()
    else sections.set(heading, [...(sections.get(heading) ?? []), line])
  }
  return sections
}

export function readPairs(table: string): Array<[name: string, rest: string]> {
  return linesOf(table).map((line) => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2)]
  })
}

export function readValue(text: string): Value {
  if (text === 'yes' || text === 'no') return text === 'yes'
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

export function linesOf(table: string): string[] {
  return table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function list(cell: string): string[] {
  return cell.split(',').flatMap((word) => word.trim() || [])
}

/** The same numbers for the same seed, on every machine. */
export type Chance = {
  next(): number
  maybe(share: number): boolean
  pick<T>(from: readonly T[]): T
  between(low: number, high: number): number
  shuffle<T>(list: readonly T[]): T[]
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T
  return {
    next,
    pick,
    maybe: (share) => next() < share,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    shuffle(list) {
      const rest = [...list]
      const shuffled: typeof rest = []
      while (rest.length > 0) shuffled.push(...rest.splice(Math.floor(next() * rest.length), 1))
      return shuffled
    },
  }
}

/** Thirteen digits, the last of which is right. */
export function makeEan(chance: Chance): string {
  const digits = Array.from({ length: 12 }, () => chance.between(0, 9))
  const sum = digits.reduce((total, digit, at) => total + digit * (at % 2 === 1 ? 3 : 1), 0)
  return `${digits.join('')}${(10 - (sum % 10)) % 10}`
}
