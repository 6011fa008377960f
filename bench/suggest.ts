/**
 * Suggestions while somebody types, beside a plain scan over the names of all products: every key of what is typed, with
 * and without a typo, in one process and in turn. The scan has its texts folded beforehand and corrects nothing.
 */
import { readDemoSet } from '../eval/judged.ts'
import { createProgress } from '../src/lib/progress.ts'
import { type CatalogIndex, createCatalogIndex } from '../src/search/catalog-index.ts'
import { foldText } from '../src/search/lexical/tokenize.ts'
import { KINDS, suggest } from '../src/search/suggest.ts'
import type { Figures } from './figures.ts'
import { figureOf, median, printTable, ratioOf } from './measure.ts'
import { makeProducts } from './search/products.ts'

const SIZES = [10_000, 100_000]
const QUICK_SIZES = [10_000]
const ROUNDS = 3
const LIMIT = 10
const TYPED_EACH = 8

type Named = { text: string; reviews: number }
type Kept = { index: CatalogIndex; names: Named[] }
type Times = { middle: number[]; high: number[] }

export async function benchSuggest({ quick }: { quick: boolean }): Promise<Figures> {
  const typed = typedTexts()
  const figures: Figures = {}
  const rows: string[][] = []
  const kept: Kept = { index: createCatalogIndex(16), names: [] }
  const { index, names } = kept
  const products = makeProducts(Math.max(...SIZES), 'none')
  for (const size of quick ? QUICK_SIZES : SIZES) {
    fill(kept, products, size)
    const ours: Times = { middle: [], high: [] }
    const scan: Times = { middle: [], high: [] }
    for (const text of typed) ask(index, text)
    for (let round = 0; round < ROUNDS; round++) {
      time(ours, typed, (text) => ask(index, text))
      time(scan, typed, (text) => scanFor(names, text))
    }
    const ratio = ratioOf(scan.high, ours.high)
    const cells = ({ middle, high }: Times) => [median(middle).toFixed(2), median(high).toFixed(2)]
    const count = size.toLocaleString('en')
    rows.push([`Souk, ${count} products`, ...cells(ours), ''])
    rows.push([`plain scan, ${count} products`, ...cells(scan), `${ratio.value.toFixed(1)} ×`])
    figures[`suggest.scan_of_souk_${size / 1_000}k`] = ratio
    if (size === 100_000) figures['suggest.ms_95_100k'] = figureOf(ours.high)
  }
  printTable(
    `Suggestions, ms a key (${typed.length} texts, typos among them)`,
    ['', 'median', '95 of 100', 'beside ours'],
    rows,
  )
  return figures
}

/** Up to so many products; the larger catalog goes on from the smaller one. */
function fill({ index, names }: Kept, products: ReturnType<typeof makeProducts>, size: number): void {
  // On a busy machine it takes minutes, and would pass for hanging.
  const progress = createProgress('Filling the index')
  while (names.length < size) {
    const { value } = products.next()
    if (!value) break
    progress.update(names.length, names.length / size)
    const { profile } = value
    index.put(profile, null)
    const { title, brand, model, reviewCount } = profile
    names.push({ text: ` ${foldText([title, brand?.name, model].join(' '))}`, reviews: reviewCount ?? 0 })
  }
  while (!index.words.tidy(1_000));
  progress.finish(names.length)
}

/** Every key of names spread over the demo catalog; and the whole of each with two letters swapped. */
function typedTexts(): string[] {
  const { products } = readDemoSet()
  const step = Math.floor(products.length / TYPED_EACH)
  const some = products.filter((_, at) => at % step === 0).slice(0, TYPED_EACH)
  const names = some.flatMap(({ title, brand, category }) => [
    category.label,
    brand?.name ?? title,
    title.split(' ').slice(1, 4).join(' '),
  ])
  const keys = names.flatMap((name) => Array.from(name, (_, at) => name.slice(0, at + 1)))
  const mistyped = names.map((name) => name.replace(/(..)(.)(.)/, '$1$3$2'))
  return [...keys, ...mistyped]
}

function ask(index: CatalogIndex, q: string): number {
  return suggest(index, { q, limit: LIMIT, kinds: KINDS }).length
}

function scanFor(names: readonly Named[], text: string): number {
  const words = foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => ` ${word}`)
  const found = names.filter((name) => words.every((word) => name.text.includes(word)))
  return found.sort((a, b) => b.reviews - a.reviews).slice(0, LIMIT).length
}

function time({ middle, high }: Times, texts: readonly string[], run: (text: string) => number): void {
  const each = texts.map((text) => {
    const started = performance.now()
    run(text)
    return performance.now() - started
  })
  each.sort((a, b) => a - b)
  middle.push(median(each))
  high.push(each[Math.floor(each.length * 0.95)] ?? 0)
}
