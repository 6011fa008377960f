/** The sitemap, read back by an XML parser that forgives nothing. */
import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { makeProfile, SITE, WORLD, WORLD_CATEGORIES, writeListing } from '../../../../test/listings.ts'
import { SITEMAP } from './sitemap.ts'

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** The texts within each child of the root; throws where the file is not well-formed. */
function readEntries(xml: string): { root: string; entries: Array<Record<string, string>> } {
  const open: string[] = []
  const entries: Array<Record<string, string>> = []
  let root = ''
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ local, uri }) => {
    expect(uri).toBe(NAMESPACE)
    if (open.length === 0) root = local
    if (open.length === 1) entries.push({ kind: local })
    open.push(local)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', (text) => {
    const entry = entries.at(-1)
    const name = open.at(-1)
    if (open.length === 3 && entry && name) entry[name] = (entry[name] ?? '') + text
  })
  parser.write(xml).close()
  return { root, entries }
}

describe('sitemap.xml', () => {
  test('it names every public page once, products with the time of their last change', () => {
    const { root, entries } = readEntries(writeListing(SITEMAP, SITE, WORLD_CATEGORIES, WORLD))
    const changed = '2026-10-20T08:30:00.000Z'
    expect(root).toBe('urlset')
    expect(entries).toEqual([
      { kind: 'url', loc: 'https://souk.test/' },
      { kind: 'url', loc: 'https://souk.test/docs' },
      { kind: 'url', loc: 'https://souk.test/sets' },
      ...['kettles', 'lamps', 'tents'].map((slug) => ({
        kind: 'url',
        loc: `https://souk.test/c/${slug}`,
      })),
      ...WORLD.map(({ slug, category }) => ({
        kind: 'url',
        loc: `https://souk.test/p/${category.slug}/${slug}`,
        lastmod: changed,
      })),
    ])
  })

  test('an address alone makes the same entry as a profile', () => {
    for (const { id, slug, category, updatedAt, ...rest } of WORLD) {
      const address = { id, slug, category: { slug: category.slug }, updatedAt }
      const profile = { ...rest, id, slug, category, updatedAt }
      expect(SITEMAP.addressEntry?.(SITE, address)).toBe(SITEMAP.entry(SITE, profile))
    }
  })

  test('an empty catalog is a whole file', () => {
    const { entries } = readEntries(writeListing(SITEMAP, SITE, [], []))
    expect(entries.map(({ loc }) => loc)).toEqual(
      ['/', '/docs', '/sets'].map((path) => `https://souk.test${path}`),
    )
  })

  test('the head has as many addresses as it says', () => {
    for (const categories of [[], WORLD_CATEGORIES]) {
      const overview = { categories, productCount: 0 }
      const { entries } = readEntries(writeListing(SITEMAP, SITE, categories, []))
      expect(SITEMAP.split?.headEntries(overview)).toBe(entries.length)
    }
  })

  test('a part is a whole file, and the index names each part', () => {
    const { split } = SITEMAP
    if (!split) throw new Error('a sitemap is split when it is large')
    const profile = makeProfile({ slug: 'x' })
    const part = readEntries(`${split.partHead(SITE)}${SITEMAP.entry(SITE, profile)}${SITEMAP.foot?.(SITE)}`)
    expect(part).toMatchObject({ root: 'urlset', entries: [{ loc: 'https://souk.test/p/kettles/x' }] })
    const index = readEntries(split.index(SITE, [1, 2].map(split.partPath)))
    expect(index).toEqual({
      root: 'sitemapindex',
      entries: [
        { kind: 'sitemap', loc: 'https://souk.test/sitemaps/1.xml' },
        { kind: 'sitemap', loc: 'https://souk.test/sitemaps/2.xml' },
      ],
    })
  })

  test('a file stays within what the protocol allows', () => {
    expect(SITEMAP.split).toMatchObject({ maxEntries: 50_000, maxBytes: 52_428_800 })
  })

  test('an address with marks of XML is written as text', () => {
    const site = { ...SITE, baseUrl: `https://souk.test/a&b'c` }
    const { entries } = readEntries(writeListing(SITEMAP, site, [], []))
    expect(entries[0]?.loc).toBe(`https://souk.test/a&b'c/`)
  })
})
