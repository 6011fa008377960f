// The drawings are markup handed to browsers and crawlers, so what is proven here is that every file is small and inert,
// that every kind has one, that products of a page can be told apart, and that no address changes what a picture is made of.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../test/any-text.ts'
import { COLOUR_WORDS, DRAWN, NEUTRAL } from '../../catalog/drawing.kinds.ts'
import { drawingOf, drawnWords, FINISHES } from '../../catalog/drawing.ts'
import { picturePath } from '../../catalog/profile.ts'
import { sortBy } from '../../search/sort.ts'
import { type Tint, tintName, tintOf } from './palette.ts'
import { KEY_COLOURS, type Picture, readPicture, renderPicture } from './pictures.ts'

const ART = new URL('./art/', import.meta.url)
const CATALOG = new URL('../../../catalog/', import.meta.url)
const FILES = readdirSync(ART)
const MAX_BYTES = 6 * 1024

type Row = {
  slug: string
  title: string
  brand: string
  review_count: number | null
  discontinued: boolean
  specs: Record<string, string>
}
const DEMO = readdirSync(CATALOG).map((file) => {
  const { slug, products } = JSON.parse(readFileSync(new URL(file, CATALOG), 'utf8')) as {
    slug: string
    products: Row[]
  }
  const ordered = sortBy(products, 'popular', ({ review_count, discontinued }) => {
    return { reviewCount: review_count, discontinued, priceLowCents: null, rating: null, released: null }
  })
  return {
    slug,
    products: ordered.map((row) => ({
      slug: row.slug,
      title: row.title,
      brand: { name: row.brand },
      category: { slug },
      specs: Object.entries(row.specs).map(([name, value]) => ({ name, value })),
    })),
  }
})

const SHAPES = ['rect', 'circle', 'ellipse', 'path']
const ATTRIBUTES = new Set(
  `xmlns viewBox role aria-label transform opacity d x y width height rx ry cx cy r fill fill-opacity stroke
   stroke-opacity stroke-width stroke-linecap stroke-linejoin stroke-dasharray`.split(/\s+/),
)
/** Steel, glass, paper and what is behind a screen: the same in every tint. */
const NEUTRALS = 'none #fff #eef0f3 #c6ccd6 #8a93a3 #3a3f49 #d9dee6 #aab1be #f3f1ea'.split(' ')

type Parsed = {
  elements: string[]
  attributes: Set<string>
  paints: Set<string>
  text: string
  label: string
}

/** Throws on anything that is not well-formed XML. */
function parse(svg: string): Parsed {
  const parsed: Parsed = { elements: [], attributes: new Set(), paints: new Set(), text: '', label: '' }
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    if (parsed.elements.length === 0) parsed.label = tag.attributes['aria-label'] ?? ''
    parsed.elements.push(tag.name)
    for (const [name, value] of Object.entries(tag.attributes)) {
      parsed.attributes.add(name)
      if (name === 'fill' || name === 'stroke') parsed.paints.add(value)
    }
  })
  parser.on('text', (text) => {
    parsed.text += text.trim()
  })
  parser.write(svg).close()
  return parsed
}

const pictureAt = (path: string): Picture | null => {
  const [, , category = '', ...file] = decodeURIComponent(path).split('/')
  return readPicture(category, file.join('/'))
}

const channels = (hex: string): number[] =>
  [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))

const contrast = (one: string, other: string): number => {
  const luminance = (hex: string) => {
    const [red = 0, green = 0, blue = 0] = channels(hex)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** In OKLab, where 0.02 is about as little as people see side by side. */
const distance = (one: string, other: string): number => {
  const lab = (hex: string) => {
    const [red = 0, green = 0, blue = 0] = channels(hex)
    const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ]
  }
  const [a, b] = [lab(one), lab(other)]
  return Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)))
}

describe('the files', () => {
  it('are as many as there are kinds, at least four for each category of the demo, and no two alike', () => {
    const named = Object.entries(DRAWN).flatMap(([category, { kinds }]) =>
      Object.keys(kinds).map((kind) => `${category}-${kind}.svg`),
    )
    expect(FILES.toSorted()).toEqual(named.toSorted())
    expect(DEMO.length).toBeGreaterThanOrEqual(41)
    for (const slug of [...DEMO.map((category) => category.slug), NEUTRAL]) {
      expect(Object.keys(DRAWN[slug]?.kinds ?? {}).length, slug).toBeGreaterThanOrEqual(4)
      for (const kind of DRAWN[slug]?.usual ?? []) expect(named).toContain(`${slug}-${kind}.svg`)
    }
    expect(new Set(FILES.map((file) => readFileSync(new URL(file, ART), 'utf8'))).size).toBe(FILES.length)
  })

  it.each(FILES)('%s is well-formed, small, inert and drawn in the key colours', (file) => {
    const svg = readFileSync(new URL(file, ART), 'utf8')
    const { elements, attributes, paints, text } = parse(svg)
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 320 240">\n/)
    expect(Buffer.byteLength(svg)).toBeLessThan(MAX_BYTES - 1500)
    expect(elements.filter((name) => !['svg', 'g', ...SHAPES].includes(name))).toEqual([])
    expect([...attributes].filter((name) => !ATTRIBUTES.has(name))).toEqual([])
    expect(
      [...paints].filter((paint) => ![...Object.values(KEY_COLOURS), ...NEUTRALS].includes(paint)),
    ).toEqual([])
    expect(svg).not.toMatch(/<script|<style|\son\w+\s*=|href|url\(|\sid=|NaN|undefined/i)
    expect(text).toBe('')
    // Its shadow on the ground, and enough of a thing to know it by.
    if (file !== 'computer-mice-contoured.svg' && file !== 'webcams-bar.svg')
      expect(svg).toContain('fill-opacity=".18"')
    expect(elements.filter((name) => SHAPES.includes(name)).length).toBeGreaterThanOrEqual(7)
  })
})

describe('products of the demo', () => {
  it.each(DEMO)(
    '$slug: at least four drawings are in use, and neighbours look different',
    ({ slug, products }) => {
      const drawn = products.map((product) => ({
        ...drawingOf(product),
        brand: product.brand.name,
        title: product.title,
        picture: pictureAt(picturePath(product)) as Picture,
      }))
      expect(drawn.filter(({ category }) => category !== slug)).toEqual([])
      expect(new Set(drawn.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(4)
      const alike = drawn.slice(1).filter((one, at) => {
        const other = drawn[at] as (typeof drawn)[number]
        const sameThing =
          one.kind === other.kind && (one.colour ?? one.brand) === (other.colour ?? other.brand)
        if (sameThing || one.kind !== other.kind || one.size !== other.size) return false
        const [a, b] = [one, other].map(({ picture }) => tintOf(picture.tint, picture.finish))
        return distance(a?.light.base ?? '', b?.light.base ?? '') < 0.06
      })
      expect(alike.map(({ title }) => title)).toEqual([])
    },
  )

  it('every one has a picture at its address, small and with both themes', () => {
    for (const product of DEMO.flatMap(({ products }) => products)) {
      const picture = pictureAt(picturePath(product))
      expect(picture, product.title).not.toBeNull()
      const svg = renderPicture(picture as Picture)
      expect(Buffer.byteLength(svg)).toBeLessThan(MAX_BYTES)
      const { light, dark } = tintOf(picture?.tint ?? '', picture?.finish)
      expect(svg).toContain(`[fill="${light.base}"]{fill:${dark.base}}`)
      expect(parse(svg).label).toBe(drawnWords(drawingOf(product)))
    }
  })
})

describe('which drawing', () => {
  const of = (category: string, title: string, specs: Record<string, string> = {}) =>
    drawingOf({
      slug: title.toLowerCase(),
      title,
      category: { slug: category },
      specs: Object.entries(specs).map(([name, value]) => ({ name, value })),
    })

  it('the kind is in the title, or else in what the specs call its type', () => {
    expect(of('headphones', 'Arvo On-Ear Headphones', { Type: 'Over-ear' }).kind).toBe('on-ear')
    expect(of('headphones', 'Arvo Lull', { Type: 'Bone conduction' }).kind).toBe('bone')
    expect(of('headphones', 'Arvo Lull', { 'In the box': 'Bone conduction guide' }).kind).toBe('over-ear')
    expect(of('headphones', 'Arvo Unstudious').kind).toBe('over-ear')
  })

  it('a big one is drawn bigger than a small one, whichever side is the longest', () => {
    const bed = (size: string) => of('dog-beds', 'Bed', { Size: size }).size
    expect(['50 x 40 x 7 in', '36 x 28 x 9 in', '24 in diameter', '120 cm', ''].map(bed)).toEqual([
      ...['large', 'regular', 'small'],
      ...['regular', 'regular'],
    ])
    expect(of('laptops', 'A', { Display: '17.3-inch IPS' }).size).toBe('large')
    expect(of('monitors', 'A', { Size: '14 inches' }).size).toBe('small')
  })

  it('the colour is the product’s own: of a spec, of its first variant, of its title', () => {
    const blue = { Colour: 'Navy blue' }
    expect(of('tents', 'Red Tent', blue).colour).toBe('navy')
    expect(of('tents', 'Tent, Forest Green').colour).toBe('green')
    expect(of('tents', 'Tent', { Color: '98% DCI-P3' }).colour).toBeNull()
    const variant = { id: 'a', sku: null, gtin: null, priceCents: null, listPriceCents: null }
    const options = [
      { name: 'Size', value: 'M' },
      { name: 'Color', value: 'Sky Blue / White' },
    ]
    const jacket = { slug: 'a', title: 'Rain jacket', category: { slug: 'jackets' } }
    expect(drawingOf({ ...jacket, variants: [{ ...variant, options }] }).colour).toBe('sky')
  })

  it('a word that is only part of another name is no colour', () => {
    for (const title of [
      'White Noise Machine',
      'Blackout Tent',
      'Copper-Core Pans',
      'Snow Shovel',
      'Tent for Sand',
    ])
      expect([title, of('tents', title).colour]).toEqual([title, null])
  })

  it('other catalogs get the nearest drawing, never that of something that only goes with it', () => {
    const near = (category: string, title: string) => of(category, title).category
    expect(near('over-ear-headphones', 'Arvo Lull')).toBe('headphones')
    expect(near('audio', 'Arvo Lull Wireless Headphones, Black')).toBe('headphones')
    expect(near('baby-monitors-and-more', 'Arvo Peek Baby Monitor (2 pack)')).toBe('baby-monitors')
    expect(near('tech', 'Arvo 27 Gaming Monitor with Stand')).toBe('monitors')
    for (const [category, title] of [
      ['headphone-stands', 'Arvo Headphone Stand'],
      ['cases', 'Case for Headphones'],
      ['dishwashing', 'Dishwasher Tablets'],
      ['health', 'Blood Pressure Monitor'],
      ['laptop-bags', 'Arvo Laptop Bag'],
      ['3d-printers', 'Arvo 3D Printer'],
      ['constructor', '__proto__'],
      ['', ''],
    ] as const)
      expect([title, near(category, title)]).toEqual([title, NEUTRAL])
    const shapes = Array.from({ length: 40 }, (_, at) => of('mugs', `Mug ${at}`).kind)
    expect(new Set(shapes).size).toBe(4)
  })
})

describe('an address', () => {
  it('of a category and a brand alone goes on working, in the category’s first drawing', () => {
    expect(pictureAt('/pictures/tents/tarnhollow.svg')).toMatchObject({ category: 'tents', kind: 'dome' })
    expect(pictureAt('/pictures/laptops/plain.svg')).toMatchObject({ kind: 'clamshell', size: 'regular' })
    expect(pictureAt('/pictures/unheard-of/x.svg')).toMatchObject({ category: NEUTRAL })
    expect(pictureAt('/pictures/over-ear-headphones/x.svg')).toMatchObject({ category: 'headphones' })
  })

  it('of an unknown kind or of a kind of another category is not found', () => {
    for (const file of ['tents/spaceship/red', 'tents/over-ear/red', 'mugs/box/red', 'tents/constructor/a'])
      expect([file, pictureAt(`/pictures/${file}.svg`)]).toEqual([file, null])
    expect(readPicture('tents', 'dome/red')).toBeNull()
  })

  it('changes nothing but the tint, whatever it says, and there are few tints', () => {
    const skeleton = parse(
      renderPicture(pictureAt('/pictures/tents/dome/plain.svg') as Picture),
    ).elements.join()
    const tints = new Set<string>()
    const hostile = fc.oneof(
      anyText({ maxLength: 400 }),
      fc.constantFrom(
        '"><script>alert(1)</script>',
        "' onload='x",
        ']]>',
        '&amp',
        '\u0000',
        '\ud800',
        '~9',
        '"'.repeat(999),
      ),
    )
    fc.assert(
      fc.property(hostile, (words) => {
        const picture = readPicture('tents', `dome/${words.replaceAll('/', '')}.svg`)
        if (!picture) return
        tints.add(picture.tint)
        expect(parse(renderPicture(picture)).elements.join()).toBe(skeleton)
      }),
      { numRuns: 300 },
    )
    for (let at = 0; at < 5000; at++) tints.add(tintName(`brand ${at}`))
    expect(tints.size).toBeLessThanOrEqual(10 + Object.keys(COLOUR_WORDS).length)
    expect(tints.size).toBeGreaterThanOrEqual(10)
  })
})

describe('the tints', () => {
  it('a brand has one tint, whether asked for by its name or by its slug', () => {
    for (const [name, slug] of [
      ['Nørd & Søn', 'nørd-søn'],
      ['Kestwick', 'kestwick'],
      ['Élan Vital', 'elan-vital'],
    ] as const)
      expect(tintName(name)).toBe(tintName(slug))
  })

  const finishes = Array.from({ length: FINISHES }, (_, finish) => finish)
  const hues = [...new Set(Array.from({ length: 500 }, (_, at) => tintName(`Brand ${at}`)))]
  it.each([
    { what: 'brands', names: hues },
    { what: 'colours', names: Object.keys(COLOUR_WORDS) },
  ])(
    'of all $what are plain hex, and a thing stands out from what is behind it in both themes',
    ({ names }) => {
      for (const name of names)
        for (const finish of finishes)
          for (const [theme, tint] of Object.entries(tintOf(name, finish)) as Array<[string, Tint]>) {
            const at = `${name} ${finish} ${theme}`
            for (const tone of Object.values(tint)) expect(tone, at).toMatch(/^#[0-9a-f]{6}$/)
            expect(new Set(Object.values(tint)).size, at).toBe(6)
            expect(contrast(tint.base, tint.background), at).toBeGreaterThanOrEqual(1.3)
            expect(contrast(tint.ink, tint.background), at).toBeGreaterThanOrEqual(1.5)
            expect(contrast(tint.base, tint.dark), at).toBeGreaterThanOrEqual(1.3)
            expect(contrast(tint.light, tint.base), at).toBeGreaterThanOrEqual(1.02)
          }
    },
  )
})
