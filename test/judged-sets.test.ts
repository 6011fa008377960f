/** The judged sets by which ranking is learned and scored: a mistake here is a mistake in every figure. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readJudgedSet } from '../eval/judged.ts'
import { bootstrapInterval } from '../eval/metrics.ts'
import { makeClothingSet } from '../eval/sets/clothing.ts'
import { makeElectronicsSet } from '../eval/sets/electronics.ts'
import { makeHardwareSet } from '../eval/sets/hardware.ts'
import { makeJudgedSet, type Thing } from '../eval/sets/judge.ts'

const MADE = [makeElectronicsSet, makeClothingSet, makeHardwareSet].map((make) => ({ name: make.name, make }))

test.each(MADE)('$name gives the same shop every time, without verdicts and uses', ({ make }) => {
  const set = make()
  expect(make()).toEqual(set)
  expect(set.products.length).toBeGreaterThan(600)
  expect(set.queries.length).toBeGreaterThan(150)
  expect(new Set(set.products.map(({ slug }) => slug)).size).toBe(set.products.length)
  expect(set.products.filter(({ verdict, bestFor }) => verdict !== null || bestFor.length > 0)).toEqual([])
})

const thing = (
  id: string,
  kind: string,
  attributes: Thing['attributes'],
  rest: Partial<Thing> = {},
): Thing => ({
  kind,
  brand: 'Tactiva',
  model: id,
  attributes,
  row: { id, title: id },
  ...rest,
})
const THINGS = [
  thing('wireless', 'mouse', { wireless: true, colour: 'Red', weight: 100 }),
  thing('silent', 'mouse', { colour: 'Red', weight: 108 }),
  thing('wired', 'mouse', { wireless: false, colour: 'Red', weight: 150 }),
  thing('wired-blue', 'mouse', { wireless: false, colour: 'Blue' }),
  thing('other', 'mouse', { wireless: true, colour: 'Red' }, { brand: 'Quillon' }),
  thing('set', 'keyboard-set', { wireless: true, colour: 'Red' }),
  thing('pad', 'mouse-pad', {}, { fits: 'wireless' }),
  thing('any-pad', 'mouse-pad', {}, { brand: 'Deskara' }),
]

test.each([
  ['mouse | mouse', { wireless: 3, silent: 3, wired: 3, 'wired-blue': 3, other: 3 }],
  [
    'red cordless mouse | mouse | wireless=yes colour=Red | keyboard-set',
    { wireless: 3, silent: 2, wired: 1, other: 3, set: 1 },
  ],
  [
    'tactiva cordless mouse | mouse | brand=Tactiva wireless=yes',
    { wireless: 3, silent: 2, wired: 1, 'wired-blue': 1, other: 1 },
  ],
  ['100 g mouse | mouse | weight~100', { wireless: 3, silent: 2, wired: 1, 'wired-blue': 2, other: 2 }],
  ['heavy mouse | mouse | weight>105', { wireless: 1, silent: 3, wired: 3, 'wired-blue': 2, other: 2 }],
  ['quillon | * | brand=Quillon', { other: 3 }],
])('"%s" grades products by what they are', (line, grades) => {
  const { queries } = makeJudgedSet('few', THINGS, `# slice\n${line}`, '')
  expect(Object.fromEntries(queries[0]?.grades ?? [])).toEqual(grades)
})

test('a model asks for itself, and its accessory for the one that fits, then for one of any maker', () => {
  const { queries } = makeJudgedSet(
    'few',
    THINGS,
    '',
    '# model\n{model} | mouse | 0\npad for {model} | mouse | 0 | mouse-pad',
  )
  expect(queries.map(({ text, grades }) => [text, Object.fromEntries(grades)])).toEqual([
    ['wireless', { wireless: 3, pad: 1 }],
    ['pad for wireless', { pad: 3, 'any-pad': 2 }],
  ])
})

test('a query that nothing answers, or that names an unknown kind, is an error of the table', () => {
  expect(() => makeJudgedSet('few', THINGS, '# s\nquiet | mouse | wireless=maybe brand=None', '')).toThrow(
    'nothing answers "quiet"',
  )
  expect(() => makeJudgedSet('few', THINGS, '# s\nrat | rat', '')).toThrow('unknown kind')
})

test('a judged folder is read as an import reads it: specs, model and bar code too', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'judged-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const product = {
    id: '7',
    title: 'Kestrane Vue 27',
    brand: 'Kestrane',
    model: 'Vue 27',
    price: 199.5,
    specs: { 'Display diagonal': 68.6, 'Curved screen': true, Hdr: 'N' },
    ean: '4006381333931',
    bullet_points: 'Slim.',
    description: 'A screen.',
  }
  fs.writeFileSync(path.join(folder, 'products.jsonl'), JSON.stringify(product))
  fs.writeFileSync(
    path.join(folder, 'queries.jsonl'),
    '{"id": "1", "query": "screen", "source": "plain"}\n{"id": "2", "query": "boat", "source": "plain"}',
  )
  fs.writeFileSync(path.join(folder, 'judgments.tsv'), 'query_id\tproduct_id\tgrade\n1\t7\t3\n2\t7\t0')
  const { products, queries } = readJudgedSet(folder)
  expect(products[0]).toMatchObject({
    slug: '7',
    model: 'Vue 27',
    gtin: '4006381333931',
    priceLowCents: 19_950,
    description: 'Slim.\nA screen.',
    category: { slug: 'uncategorized' },
    specs: [
      { name: 'Display diagonal', value: '68.6' },
      { name: 'Curved screen', value: 'Yes' },
      { name: 'Hdr', value: 'N' },
    ],
  })
  expect(queries.map(({ text }) => text)).toEqual(['screen'])
})

test('the interval of a difference holds its mean, and is a point when every query differs alike', () => {
  const [low, high] = bootstrapInterval([1, 0.4, 0.8, 0.9], [0.5, 0.6, 0.2, 0.9])
  expect(low).toBeLessThan(0.225)
  expect(high).toBeGreaterThan(0.225)
  expect(bootstrapInterval([0.75, 0.5], [0.5, 0.25])).toEqual([0.25, 0.25])
})
