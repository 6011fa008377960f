/**
 * Attacks a regular expression: words that its repetitions like to take are repeated, between a beginning that leads
 * there and an end that spoils the match. What grows faster than its input is told by the degree of its growth.
 */
import { type Node, type Place, readRegex, type Tree } from './regexes.parse.ts'
import { stepsOf } from './regexes.steps.ts'

export type Growth = { degree: number; attack: { head: string; pump: string; tail: string } }

const PALETTE = [...'a0A .,-_/:;"\'<>=+#%&@$()[]{}|*`~!?^\t\n\r\\éßж中😀\u0301\u200b\u00a0\u0000']
const TAILS = ['', '\u0000', '\n\u0000']
/** Sizes of the first look, which sorts out what grows as it should, and of the second, which has to agree. */
const FIRST = [40, 80] as const
const SECOND = [100, 200] as const
/** What is over these is as good as endless. */
const MOST = new Map<number, number>([
  [FIRST[1], 800_000],
  [SECOND[1], 8_000_000],
])

/** The worst growth found: about 1 for what is linear, 2 for what is quadratic, Infinity for what explodes. */
export function worstGrowth({ source, flags }: { source: string; flags: string }): Growth | null {
  const tree = readRegex({ source, flags })
  if (!tree.repeats.some(({ max }) => max > 50)) return null
  const alphabet = alphabetOf(tree)
  const pumps = new Set([...alphabet, ...tree.repeats.flatMap(({ body }) => words(body, alphabet))])
  const heads = new Set(['', '\u0000', ...leads(tree.root, alphabet)])
  let worst: Growth | null = null
  for (const pump of pumps) {
    if (pump === '') continue
    for (const head of heads) {
      for (const tail of TAILS) {
        const attack = { head, pump, tail }
        const degree = degreeOf(tree, flags, attack, worst?.degree ?? 1)
        if (degree > (worst?.degree ?? 1.5)) worst = { degree, attack }
        if (degree === Infinity) return worst
      }
    }
  }
  return worst
}

function degreeOf(tree: Tree, flags: string, attack: Growth['attack'], known: number): number {
  const first = growth(tree, flags, attack, FIRST)
  return first < known + 0.4 || first === Infinity ? first : growth(tree, flags, attack, SECOND)
}

function growth(
  tree: Tree,
  flags: string,
  { head, pump, tail }: Growth['attack'],
  [small, large]: readonly [number, number],
): number {
  const most = MOST.get(large) ?? 0
  const steps = (size: number) =>
    stepsOf(tree, flags, head + pump.repeat(Math.ceil(size / pump.length)) + tail, most)
  const ofLarge = steps(large)
  return ofLarge > most ? Infinity : Math.log2(ofLarge / steps(small))
}

/** One character for each way in which the expression tells characters apart. */
function alphabetOf({ places }: Tree): string[] {
  const written = places.flatMap(({ source }) => [...source])
  const byTaste = new Map<string, string>()
  for (const character of [...written, ...PALETTE]) {
    const taste = places.map(({ takes }) => (takes(character) ? '1' : '0')).join('')
    if (taste.includes('1') && !byTaste.has(taste)) byTaste.set(taste, character)
  }
  const all = [...byTaste]
  // Characters that several places take are the ones over which they quarrel.
  all.sort(([a], [b]) => b.split('1').length - a.split('1').length)
  return all.slice(0, 12).map(([, character]) => character)
}

const sample = ({ takes }: Place, alphabet: string[]) => alphabet.find(takes) ?? PALETTE.find(takes) ?? ''

/** A few words that a part takes, each of its choices taken once. */
function words(node: Node, alphabet: string[]): string[] {
  switch (node.kind) {
    case 'place':
      return [sample(node, alphabet)]
    case 'choice':
      return node.options.flatMap((option) => words(option, alphabet).slice(0, 2)).slice(0, 6)
    case 'group':
      return words(node.body, alphabet)
    case 'repeat':
      return words(node.body, alphabet).map((word) => word.repeat(Math.min(Math.max(node.min, 1), 20)))
    case 'sequence': {
      const parts = node.items.map((item) => words(item, alphabet)).filter((part) => part.length > 0)
      const most = Math.max(1, ...parts.map((part) => part.length))
      return Array.from({ length: Math.min(most, 6) }, (_, index) =>
        parts.map((part) => part[index % part.length]).join(''),
      )
    }
    default:
      return []
  }
}

/** What can stand before each item of the outermost sequences. */
function leads(node: Node, alphabet: string[]): string[] {
  if (node.kind === 'choice')
    return node.options.flatMap((option) => leads(option, alphabet).slice(-2)).slice(0, 6)
  if (node.kind === 'group') return leads(node.body, alphabet)
  if (node.kind !== 'sequence') return []
  const found: string[] = []
  let before = ''
  for (const item of node.items) {
    before += words(item, alphabet)[0] ?? ''
    found.push(before)
  }
  return found.slice(0, -1).slice(0, 5)
}
