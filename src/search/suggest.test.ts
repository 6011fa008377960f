import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOSTILE } from '../../test/hostile-texts.ts'
import { makeProfile } from '../../test/listings.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import { createCatalogIndex } from './catalog-index.ts'
import { KINDS, type SuggestInput, suggest } from './suggest.ts'

type Row = Partial<ProductProfile> & { slug: string; title: string }

const MACHINES = { slug: 'espresso-machines', label: 'Espresso machines' }
const MUGS = { slug: 'mugs', label: 'Travel mugs & espresso cups' }
const AUDIO = { slug: 'headphones', label: 'Headphones' }
const ROWS: Row[] = [
  { slug: 'solo', title: 'Bezzera Solo Espresso Machine', category: MACHINES, reviewCount: 40, rating: 4 },
  { slug: 'duo', title: 'Bezzera Duo Dual Boiler', category: MACHINES, reviewCount: 900, rating: 4.5 },
  { slug: 'cup', title: 'Demitasse Set for Espresso', category: MUGS, reviewCount: 300, rating: 5 },
  { slug: 'old', title: 'Antique Espresso Pot', category: MUGS, reviewCount: 90_000, discontinued: true },
  { slug: 'quiet', title: 'Espérance Noise-Cancelling Headphones', category: AUDIO, reviewCount: 10 },
  { slug: 'xm4', title: 'Bezzera WH-1000XM4', category: AUDIO, model: 'WH-1000XM4', reviewCount: 5 },
]
const BRANDS: Record<string, string> = { solo: 'Bezzera', duo: 'BEZZERA', quiet: 'Espérance', xm4: 'Bezzera' }

function indexOf(rows: Row[]) {
  const index = createCatalogIndex(16)
  const put = (row: Row) => {
    const brand = BRANDS[row.slug]
    index.put(
      makeProfile({ id: row.slug, brand: brand ? { name: brand, domain: null } : null, ...row }),
      null,
    )
  }
  rows.forEach(put)
  return { index, put }
}

const { index } = indexOf(ROWS)
const ask = (q: string, more: Partial<SuggestInput> = {}, of = index) =>
  suggest(of, { q, limit: 10, kinds: KINDS, ...more })
const names = (q: string, more?: Partial<SuggestInput>, of = index) =>
  ask(q, more, of).map(({ kind, text, slug }) => `${kind} ${slug ?? text}`)

describe('what is suggested', () => {
  test('categories that start so, then brands, then other categories, then products by what many like, discontinued last', () => {
    expect(names('esp')).toEqual([
      'category espresso-machines',
      'brand Espérance',
      'category mugs',
      'product cup',
      'product solo',
      'product quiet',
      'product old',
    ])
  })

  test.each([
    ['a later word of the name', 'boil', ['product duo']],
    ['two words, the last unfinished, in any order', 'machine sol', ['product solo']],
    ['the last word alone may be unfinished', 'mach solo', []],
    ['a word that only the category says, beside one of the title', 'espresso dual', ['product duo']],
    ['case and accents do not matter', 'ESPERAN', ['brand Espérance', 'product quiet']],
    ['nor how they are written', 'Espe\u0301ran', ['brand Espérance', 'product quiet']],
    ['a part of a compound', 'noise can', ['product quiet']],
    ['a model number without its hyphen', 'wh1000', ['product xm4']],
    ['a plural for a singular', 'solo machines', ['product solo']],
    ['stop words between', 'demitasse for the esp', ['product cup']],
    ['a stop word at the end that nothing has', 'boiler from', ['product duo']],
    ['a typo in an unfinished word', 'demitsa', ['product cup']],
    ['a typo in the first letter', 'nemitasse', ['product cup']],
    ['a typo in a whole word before', 'demitase se', ['product cup']],
    ['three letters are not corrected', 'dmi', []],
    ['nor are digits', '1001', []],
    ['nothing is called by both', 'solo headphones', []],
    ['nothing is called so', 'zeppelin', []],
  ])('%s', (_, q, expected) => {
    expect(names(q)).toEqual(expected)
  })

  test('products of a category that is called so come before others that many like more', () => {
    const { index: shop } = indexOf([
      { slug: 'esplanade', title: 'Esplanade', category: AUDIO, reviewCount: 9_000, rating: 5 },
      { slug: 'solo', title: 'Espresso Solo', category: MACHINES, reviewCount: 10, rating: 4 },
    ])
    expect(names('esp', {}, shop)).toEqual([
      'category espresso-machines',
      'product solo',
      'product esplanade',
    ])
  })

  test('products that are liked alike are in the order of their slugs', () => {
    const slugs = [
      'lamp-b',
      'lamp',
      'lamp-a',
      'lamp-10',
      'lamp-9',
      'lam',
      'lamp-a-long',
      'ä-lamp',
      'z',
      'a',
      '0',
      'y',
    ]
    const { index: lamps } = indexOf(slugs.map((slug) => ({ slug, title: `Lamp ${slug.length}` })))
    const products = names('lamp', { kinds: ['products'] }, lamps)
    expect(products).toEqual(
      slugs
        .toSorted()
        .slice(0, 10)
        .map((slug) => `product ${slug}`),
    )
  })

  test('a brand that is spelled in several ways is one, as most products spell it', () => {
    const spelled = ['ZORVEX', 'Zorvex', 'Zorvex', 'zorvex']
    const { index: shop } = indexOf([])
    for (const [at, name] of spelled.entries())
      shop.put(makeProfile({ id: `${at}`, slug: `${at}`, title: 'Jug', brand: { name, domain: null } }), null)
    expect(ask('zor', { kinds: ['brands'] }, shop)).toMatchObject([{ text: 'Zorvex', products: 4 }])
    shop.remove('1')
    shop.remove('2')
    expect(ask('zor', { kinds: ['brands'] }, shop)).toMatchObject([{ text: 'ZORVEX', products: 2 }])
  })

  test('a word that is spelled right is never replaced by its neighbours', () => {
    const { index: lamps } = indexOf([
      { slug: 'lamp', title: 'Lamp' },
      { slug: 'camp', title: 'Camp stove' },
    ])
    expect(names('lamp', { kinds: ['products'] }, lamps)).toEqual(['product lamp'])
    expect(names('damp', { kinds: ['products'] }, lamps)).toEqual(['product camp', 'product lamp'])
  })

  test('only the kinds that are asked for, as many as are asked for', () => {
    expect(names('esp', { kinds: ['categories'] })).toEqual(['category espresso-machines', 'category mugs'])
    expect(names('bezz', { kinds: ['brands'] })).toEqual(['brand Bezzera'])
    expect(names('esp', { limit: 2 })).toEqual(['category espresso-machines', 'brand Espérance'])
    expect(names('esp', { kinds: [] })).toEqual([])
  })

  test('many categories and brands leave room for products', () => {
    const many = Array.from({ length: 20 }, (_, n) => ({
      slug: `s${n}`,
      title: `Sofa ${n}`,
      category: { slug: `sofas-${n}`, label: `Sofas ${n}` },
      brand: { name: `Sofa works ${n}`, domain: null },
    }))
    const kinds = ask('sofa', {}, indexOf(many).index).map(({ kind }) => kind)
    expect(kinds).toEqual([
      ...Array(3).fill('category'),
      ...Array(3).fill('brand'),
      ...Array(4).fill('product'),
    ])
  })
})

describe('a suggestion', () => {
  test('has what a search box shows and a picker sends', () => {
    expect(ask('bezzera')[0]).toEqual({
      kind: 'brand',
      text: 'Bezzera',
      url: '/search?q=Bezzera&brand=Bezzera',
      products: 3,
      matched: [[0, 7]],
    })
    expect(ask('espresso m')[0]).toEqual({
      kind: 'category',
      text: 'Espresso machines',
      slug: 'espresso-machines',
      url: '/c/espresso-machines',
      products: 2,
      picture: '/pictures/espresso-machines/plain.svg',
      matched: [
        [0, 8],
        [9, 10],
      ],
    })
    expect(ask('antique')).toMatchObject([
      { kind: 'product', slug: 'old', url: '/p/mugs/old', category: MUGS, discontinued: true },
    ])
  })

  test('says where its text has what was typed', () => {
    const marked = (q: string) => ask(q).map(({ text, matched }) => matched.map((at) => text.slice(...at)))
    expect(marked('noise CAN')).toEqual([['Noise', 'Can']])
    expect(marked('esperan')).toEqual([['Espéran'], ['Espéran']])
    expect(marked('demitsase')).toEqual([['Demitasse']])
    expect(marked('wh1000')).toEqual([[]])
  })
})

test('what the catalog says now is suggested: new, renamed and removed products, brands and categories', () => {
  const { index: changing, put } = indexOf(ROWS)
  const now = (q: string) => names(q, {}, changing)
  expect(now('kett')).toEqual([])
  const kettle = { slug: 'kettle', title: 'Gooseneck', category: { slug: 'kettles', label: 'Kettles' } }
  put({ ...kettle, brand: { name: 'Kettlewell', domain: null } })
  expect(now('kett')).toEqual(['category kettles', 'brand Kettlewell', 'product kettle'])
  put({ ...kettle, title: 'Pour-over pot' })
  expect(now('goose')).toEqual([])
  expect(now('kett')).toEqual(['category kettles'])
  changing.remove('kettle')
  expect(now('pour')).toEqual([])
  expect(now('kett')).toEqual([])
})

test('whatever is typed, there is an answer of at most so many, whose marks lie within the text', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 220 }),
    fc.constantFrom(...HOSTILE.map(({ text }) => text('esp'))),
    fc
      .array(fc.constantFrom('esp', 'Espé', 'bez', 'the', '1000', ' ', '-', "'"), { maxLength: 12 })
      .map((all) => all.join('')),
  )
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 10 }), (q, limit) => {
      const found = ask(q, { limit })
      expect(found.length).toBeLessThanOrEqual(limit)
      for (const { text, matched } of found)
        for (const [from, to] of matched) expect(0 <= from && from < to && to <= text.length).toBe(true)
    }),
  )
})
