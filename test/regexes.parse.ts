/**
 * Reads a regular expression into a tree, as far as its cost of matching asks for it: what is repeated, what may
 * follow, and which characters each place takes. Which characters those are is left to the engine itself.
 */
export type Place = { kind: 'place'; source: string; takes: (character: string) => boolean }
export type Node =
  | Place
  | { kind: 'sequence'; items: Node[] }
  | { kind: 'choice'; options: Node[] }
  | { kind: 'repeat'; body: Node; min: number; max: number; lazy: boolean }
  | { kind: 'group'; body: Node; index: number; name?: string }
  | { kind: 'look'; body: Node; behind: boolean; negated: boolean }
  | { kind: 'edge'; edge: '^' | '$' | 'b' | 'B' }
  | { kind: 'again'; group: string }

export type Tree = {
  root: Node
  places: Place[]
  repeats: Array<Node & { kind: 'repeat' }>
  unicode: boolean
}

const QUANTIFIER = /[*+?]|\{(\d+)(,?)(\d*)\}/y
const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[\da-f]{1,6}\}|u[\da-f]{4}(?:\\u[\da-f]{4})?|x[\da-f]{2}|c[a-z]|[\s\S])/iy

export function readRegex({ source, flags }: { source: string; flags: string }): Tree {
  const unicode = /[uv]/.test(flags)
  const placeFlags = flags.replace(/[^isuv]/g, '')
  const places: Place[] = []
  const repeats: Tree['repeats'] = []
  let at = 0
  let groups = 0

  const fail = (): never => {
    throw new Error(`cannot read /${source}/${flags} at ${at}`)
  }
  const take = (text: string) => {
    if (!source.startsWith(text, at)) return false
    at += text.length
    return true
  }
  const taken = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found) at = pattern.lastIndex
    return found
  }

  function place(written: string): Place {
    const test = new RegExp(`^(?:${written})$`, placeFlags)
    const known = new Map<string, boolean>()
    const takes = (character: string) => {
      const before = known.get(character)
      if (before !== undefined) return before
      const found = test.test(character)
      known.set(character, found)
      return found
    }
    const made: Place = { kind: 'place', source: written, takes }
    places.push(made)
    return made
  }

  function choice(): Node {
    const options = [sequence()]
    while (take('|')) options.push(sequence())
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options }
  }

  function sequence(): Node {
    const items: Node[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') items.push(quantified(atom()))
    return { kind: 'sequence', items }
  }

  function quantified(body: Node): Node {
    const found = taken(QUANTIFIER)
    if (!found) return body
    const [sign, least, comma, most] = found
    const [min, max] = sign === '*' ? [0, Infinity] : sign === '+' ? [1, Infinity] : [0, 1]
    const repeat = {
      kind: 'repeat' as const,
      body,
      min: least === undefined ? min : Number(least),
      max: least === undefined ? max : comma === '' ? Number(least) : most ? Number(most) : Infinity,
      lazy: take('?'),
    }
    repeats.push(repeat)
    return repeat
  }

  function atom(): Node {
    if (take('^')) return { kind: 'edge', edge: '^' }
    if (take('$')) return { kind: 'edge', edge: '$' }
    if (take('(')) return group()
    if (source[at] === '[') return place(setText())
    if (source[at] === '\\') return escaped()
    const character = unicode ? String.fromCodePoint(source.codePointAt(at) ?? 0) : (source[at] ?? fail())
    at += character.length
    return place(character)
  }

  function escaped(): Node {
    const [text] = taken(ESCAPE) ?? fail()
    if (text === '\\b' || text === '\\B') return { kind: 'edge', edge: text === '\\b' ? 'b' : 'B' }
    if (text === '\\k') {
      const [, name] = taken(/<(\w+)>/y) ?? fail()
      return { kind: 'again', group: name ?? '' }
    }
    if (/^\\[1-9]$/.test(text)) return { kind: 'again', group: text.slice(1) }
    return place(text)
  }

  /** A set with all that is in it, sets within sets included. */
  function setText(): string {
    const start = at
    let depth = 0
    do {
      if (source[at] === '\\') at += 1
      else if (source[at] === '[' && (depth === 0 || flags.includes('v'))) depth += 1
      else if (source[at] === ']') depth -= 1
      at += 1
      if (at > source.length) fail()
    } while (depth > 0)
    return source.slice(start, at)
  }

  function group(): Node {
    const look = taken(/\?(<?)([=!])/y)
    const name = look ? null : taken(/\?<(\w+)>/y)
    const index = look || (!name && take('?:')) ? 0 : ++groups
    const body = choice()
    if (!take(')')) fail()
    if (look) return { kind: 'look', body, behind: look[1] === '<', negated: look[2] === '!' }
    return { kind: 'group', body, index, ...(name?.[1] && { name: name[1] }) }
  }

  const root = choice()
  if (at < source.length) fail()
  return { root, places, repeats, unicode }
}
