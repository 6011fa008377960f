// The pictures are markup handed to browsers, crawlers and dashboards, so what is proven here is that every
// one is a drawing of its own, parses as XML, stays small and inert, and survives any words put into it.
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { type Tint, tintFor } from './palette.ts'
import { hasPicture, renderPicture } from './pictures.ts'

const CATEGORIES = readdirSync(new URL('../../../catalog/', import.meta.url))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length))

const SHAPES = ['rect', 'circle', 'ellipse', 'path']
const ATTRIBUTES = new Set(
  [
    [
      'xmlns',
      'viewBox',
      'role',
      'aria-label',
      'transform',
      'opacity',
      'd',
      'x',
      'y',
      'width',
      'height',
      'rx',
    ],
    ['ry', 'cx', 'cy', 'r', 'fill', 'fill-opacity', 'stroke', 'stroke-opacity', 'stroke-width'],
    ['stroke-linecap', 'stroke-linejoin', 'stroke-dasharray'],
  ].flat(),
)

type Parsed = { elements: string[]; attributes: Set<string>; values: string[]; label: string; text: string }

/** Throws on anything that is not well-formed XML. */
function parse(svg: string): Parsed {
  const parsed: Parsed = { elements: [], attributes: new Set(), values: [], label: '', text: '' }
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    if (parsed.elements.length === 0) parsed.label = tag.attributes['aria-label'] ?? ''
    parsed.elements.push(tag.name)
    for (const [name, value] of Object.entries(tag.attributes)) {
      parsed.attributes.add(name)
      if (name !== 'aria-label') parsed.values.push(value)
    }
  })
  parser.on('text', (text) => {
    parsed.text += text
  })
  parser.write(svg).close()
  return parsed
}

const luminance = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe('the catalog pictures', () => {
  it('every demo category has a drawing of its own, and no two are alike', () => {
    expect(CATEGORIES.length).toBeGreaterThanOrEqual(41)
    expect(CATEGORIES.filter((category) => !hasPicture(category))).toEqual([])
    const render = (category: string) => renderPicture({ category, brand: 'Kestwick', title: 'same' })
    const drawings = new Set([...CATEGORIES, 'unheard-of'].map(render))
    expect(drawings.size).toBe(CATEGORIES.length + 1)
  })

  it.each([...CATEGORIES, 'unheard-of'])(
    '%s is well-formed, small, inert and drawn with a light hand',
    (category) => {
      const svg = renderPicture({ category, brand: 'Kestwick' })
      const { elements, attributes, values, label, text } = parse(svg)
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 320 240" role="img" /)
      expect(Buffer.byteLength(svg)).toBeLessThan(4096)
      expect(elements.filter((name) => !['svg', 'g', ...SHAPES].includes(name))).toEqual([])
      expect([...attributes].filter((name) => !ATTRIBUTES.has(name))).toEqual([])
      expect(values.filter((value) => /NaN|undefined|null|url\(/.test(value))).toEqual([])
      expect(svg).not.toMatch(/<script|\son\w+\s*=|href|\sid=/i)
      expect(label).toBe(`Kestwick ${category.replaceAll('-', ' ')}`)
      expect(text).toBe('')
      const drawn = elements.filter((name) => SHAPES.includes(name)).length - 2
      expect(drawn).toBeGreaterThanOrEqual(8)
      expect(drawn).toBeLessThanOrEqual(25)
    },
  )

  it('an unknown category shows the parcel, even one named like a property of every object', () => {
    for (const category of ['unheard-of', 'constructor', '__proto__', '']) {
      expect(hasPicture(category)).toBe(false)
      expect(renderPicture({ category, brand: 'Arvo', title: 'x' })).toBe(
        renderPicture({ category: 'anything', brand: 'Arvo', title: 'x' }),
      )
    }
  })

  it('the label is the title when there is one, and names the category when there is no brand', () => {
    const titled = renderPicture({ category: 'tents', brand: 'Arvo', title: `2" <b>Tom's</b> & co` })
    expect(parse(titled).label).toBe(`2" <b>Tom's</b> & co`)
    expect(parse(renderPicture({ category: 'yoga-mats', brand: null })).label).toBe('yoga mats')
  })

  it('no title, brand or category can break out of the label or grow the picture past 4 KB', () => {
    const largest = CATEGORIES.toSorted((a, b) => drawnBytes(b) - drawnBytes(a))[0] ?? ''
    const skeleton = (svg: string) => parse(svg).elements.join()
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
        .map((codes) => String.fromCharCode(...codes)),
      fc.constantFrom(
        '"><script>alert(1)</script>',
        "' onload='x",
        ']]>',
        '&amp',
        '\u0000',
        '\ud800',
        '"'.repeat(999),
      ),
    )
    fc.assert(
      fc.property(hostile, hostile, fc.boolean(), (words, brand, drawn) => {
        const category = drawn ? largest : `no ${words}`
        const expected = skeleton(renderPicture({ category: drawn ? largest : 'no', brand: null }))
        for (const svg of [
          renderPicture({ category, brand, title: words }),
          renderPicture({ category, brand }),
        ]) {
          expect(skeleton(svg)).toBe(expected)
          expect([...parse(svg).attributes].filter((name) => !ATTRIBUTES.has(name))).toEqual([])
          expect(Buffer.byteLength(svg)).toBeLessThan(4096)
        }
      }),
    )
  })
})

const drawnBytes = (category: string): number => renderPicture({ category, brand: 'x', title: '' }).length

describe('the tints', () => {
  it('a brand has one tint, whether asked for by its name or by its slug', () => {
    expect(tintFor('Nørd & Søn')).toEqual(tintFor('nørd-søn'))
    expect(tintFor('Kestwick')).toEqual(tintFor('kestwick'))
    expect(tintFor('Élan Vital')).toEqual(tintFor('elan-vital'))
  })

  it('a picture carries its brand’s tint, and brands are told apart by it', () => {
    const tint = tintFor('Kestwick')
    const svg = renderPicture({ category: 'laptops', brand: 'Kestwick' })
    for (const tone of Object.values(tint)) expect(svg).toContain(tone)
    const bases = new Set(Array.from({ length: 100 }, (_, index) => tintFor(`Brand ${index}`).base))
    expect(bases.size).toBeGreaterThan(60)
  })

  it('for any name the tones are plain hex and far enough apart to read', () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const tint: Tint = tintFor(key)
        for (const tone of Object.values(tint)) expect(tone).toMatch(/^#[0-9a-f]{6}$/)
        expect(contrast(tint.ink, tint.background)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(tint.dark, tint.background)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(tint.base, tint.background)).toBeGreaterThanOrEqual(2.2)
        expect(contrast(tint.base, tint.dark)).toBeGreaterThanOrEqual(1.8)
        expect(contrast(tint.light, tint.base)).toBeGreaterThanOrEqual(1.6)
        expect(contrast(tint.dark, tint.ink)).toBeGreaterThanOrEqual(2)
      }),
      { numRuns: 400 },
    )
  })
})
