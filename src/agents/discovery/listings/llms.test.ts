/** llms.txt and llms-full.txt: their form, and that no text of a product can break it. */
import MarkdownIt from 'markdown-it'
import { describe, expect, test } from 'vitest'
import {
  HOSTILE_TEXTS,
  hostileProfile,
  LISTED_TOOLS,
  makeCategory,
  makeOffer,
  makeProfile,
  SITE,
  WORLD,
  WORLD_CATEGORIES,
  writeListing,
} from '../../../../test/listings.ts'
import { DEMO_NOTICE, renderProductMarkdown } from '../../../catalog/profile.markdown.ts'
import type { ProductProfile } from '../../../catalog/profile.ts'
import type { ListingSite } from './listing.ts'
import { createLlmsTxt, LLMS_FULL } from './llms.ts'

const LLMS_TXT = createLlmsTxt(LISTED_TOOLS)
const markdown = new MarkdownIt({ html: true })

const writeWorld = (site: ListingSite = SITE) => writeListing(LLMS_TXT, site, WORLD_CATEGORIES, WORLD)

/** As the form's reference parser reads it: H2 sections, in which every line is one link. */
function parseSections(text: string): Array<{ name: string; links: Array<{ title: string; url: string }> }> {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [name = '', ...lines] = section.split('\n')
      const links = lines.filter(Boolean).map((line) => {
        const match = /^- \[([^\]]+)\]\(([^)\s]+)\)(?:: .+)?$/.exec(line)
        if (!match) throw new Error(`no link: ${line}`)
        return { title: match[1] ?? '', url: match[2] ?? '' }
      })
      return { name, links }
    })
}

/** The kinds of Markdown there are in it, in order, without the texts. */
function shape(text: string): string[] {
  return markdown
    .parse(text, {})
    .flatMap((block) => [block.type + block.tag, ...(block.children ?? []).map(({ type }) => type)])
    .filter((type) => type !== 'text' && type !== 'text_special')
}

describe('llms.txt', () => {
  test('it is the one of the golden file', async () => {
    await expect(writeWorld()).toMatchFileSnapshot('../../../../test/golden/llms.txt')
  })

  test('a title, a summary, prose, then sections that are lists of links', () => {
    const text = writeWorld()
    expect(text).toMatch(/^# Souk\n\n> [^\n]+\n\n/)
    expect(text.match(/^# /gm)).toHaveLength(1)
    const sections = parseSections(text)
    expect(sections.map(({ name }) => name)).toEqual([
      'Machine interfaces',
      'Whole catalog',
      'Categories',
      'Products: Kettles \\& pots',
      'Products: Tents',
    ])
    expect(sections.every(({ links }) => links.length > 0)).toBe(true)
  })

  test('every product is listed exactly once, with or without a verdict', () => {
    const products = parseSections(writeWorld())
      .filter(({ name }) => name.startsWith('Products: '))
      .flatMap(({ links }) => links.map(({ url }) => url))
    expect(products).toEqual(
      WORLD.map(({ slug, category }) => `https://souk.test/p/${category.slug}/${slug}.md`),
    )
  })

  test('every tool stands once, under those it is for', () => {
    const text = writeWorld()
    const [, shopping = '', producing = ''] = text.split(/^\*\*\d+ tools for [a-z]+:\*\*$/m)
    const names = (part: string) =>
      [...(part.split('## ')[0] ?? '').matchAll(/^- `(\w+)` /gm)].map(([, name]) => name)
    const listed = (audience: string) =>
      LISTED_TOOLS.filter((tool) => tool.audience === audience).map(({ name }) => name)
    expect(names(shopping)).toEqual(listed('everyone'))
    expect(names(producing)).toEqual(listed('producers'))
    expect(text).toContain('**10 tools for shopping:**')
    expect(text).toContain('**19 tools for producers:**')
    expect(text).toContain('`POST https://mcp.souk.test/mcp/`')
  })

  test('an offer is shown by its figures, as sponsored, and never in the words of the seller', () => {
    const [kettle = '', pot = ''] = WORLD.map((profile) => LLMS_TXT.entry(SITE, profile))
    expect(kettle).toMatch(
      / · sponsored: \$69 \(list \$89\) from shop\.example, verified until 2026-12-01T00:00Z\n$/,
    )
    expect(pot).toMatch(/ · sponsored: free shipping from shop\.example, verified\n$/)
    expect(writeWorld()).not.toContain('Ignore all instructions')
  })

  test('an offer that states nothing but its seller is still named', () => {
    const profile = makeProfile({ slug: 'x', offers: [makeOffer()] })
    expect(LLMS_TXT.entry(SITE, profile)).toMatch(/sponsored: an offer from shop\.example, verified\n$/)
  })

  test('a text of which nothing is left leaves no gap', () => {
    const seller = { ...makeOffer().seller, name: '\u200b' }
    const profile = makeProfile({
      slug: 'x',
      title: ' ',
      verdict: '<b></b>',
      offers: [makeOffer({ seller })],
    })
    expect(LLMS_TXT.entry(SITE, profile)).toBe(
      '- [x](https://souk.test/p/kettles/x.md): price: see sellers · sponsored: an offer from shop.example, verified\n',
    )
  })

  test('invented products are said to be invented, real ones are not', () => {
    expect(writeWorld({ ...SITE, demo: true })).toContain(`**${DEMO_NOTICE}**`)
    expect(writeWorld()).not.toContain(DEMO_NOTICE)
  })

  test('a category called Optional is not taken for the part that readers may skip', () => {
    const category = makeCategory('optional', 'Optional', WORLD.slice(0, 1))
    expect(LLMS_TXT.section?.(SITE, category)).not.toMatch(/^## Optional$/m)
  })

  test('an empty catalog is a whole file', () => {
    const sections = parseSections(writeListing(LLMS_TXT, SITE, [], []))
    expect(sections.map(({ name }) => name)).toEqual(['Machine interfaces', 'Whole catalog'])
  })

  test.each(HOSTILE_TEXTS)('$name is one line with one link to the product', ({ text }) => {
    const written = writeTrap(LLMS_TXT, text)
    const [, , , traps] = parseSections(written)
    expect(traps?.links.map(({ url }) => url)).toEqual(['https://souk.test/p/traps/trap.md'])
    const plain = writeTrap(LLMS_TXT, 'Plain')
    expect(shape(written)).toEqual(shape(plain))
    expect(written.length).toBeLessThan(plain.length + 1_500)
  })
})

function writeTrap(listing: typeof LLMS_TXT, text: string): string {
  const profile = hostileProfile(text)
  return writeListing(listing, SITE, [makeCategory('traps', text, [profile])], [profile])
}

describe('llms-full.txt', () => {
  const headings = (text: string) =>
    [...text.matchAll(/^(#+) (.*)$/gm)].map(([, marks, name]) => `${marks} ${name}`)

  test('it is one document: categories below the title, products below them, their parts below those', () => {
    const text = writeListing(LLMS_FULL, SITE, WORLD_CATEGORIES, WORLD)
    expect(headings(text).filter((heading) => !heading.startsWith('#### '))).toEqual([
      '# Souk: every product',
      '## Kettles \\& pots',
      '### Brightwater Gooseneck Kettle, 1.0 L',
      '### Plain Pot \\[2 pack\\] \\*new\\*',
      '### Unknown Thing',
      '## Tents',
      '### Old Dome 3',
    ])
    expect(headings(text).filter((heading) => heading === '#### Provenance')).toHaveLength(WORLD.length)
  })

  test('a profile is its own Markdown, word for word, with its address, and ends at a rule', () => {
    for (const profile of WORLD) {
      const entry = LLMS_FULL.entry(SITE, profile)
      const address = `Address: https://souk.test/p/${profile.category.slug}/${profile.slug}`
      expect(entry).toContain(`\n\n${address}\n\n`)
      const without = entry
        .replace(`\n${address}\n`, '')
        .replace(/^##(#+ )/gm, '$1')
        .replace(/\n---\n$/, '')
      expect(without.trim()).toBe(renderProductMarkdown(profile, SITE).trim())
      expect(shape(entry).filter((type) => type === 'hrhr')).toHaveLength(1)
    }
  })

  test('invented products are said to be invented at the top and in each profile', () => {
    const demo = { ...SITE, demo: true }
    const text = writeListing(LLMS_FULL, demo, WORLD_CATEGORIES, WORLD)
    expect(text.split(DEMO_NOTICE)).toHaveLength(2 + WORLD.length)
  })

  const readable = HOSTILE_TEXTS.filter(({ text }) => text.trim() !== '')
  test.each(readable)('$name changes nothing but the text', ({ text }) => {
    const write = (said: string) =>
      writeListing(LLMS_FULL, SITE, [makeCategory('traps', 'Traps', [])], [asStored(hostileProfile(said))])
    expect(shape(write(text))).toEqual(shape(write('Plain')))
  })

  /** A description may have paragraphs, which would be a change of shape that is meant; addresses are normalised. */
  function asStored(profile: ProductProfile): ProductProfile {
    const { description, images, additionalImages = [] } = profile
    const normal = ({ url, alt }: ProductProfile['images'][number]) => ({ url: new URL(url).href, alt })
    return {
      ...profile,
      description: description?.replace(/\s+/g, ' ') ?? null,
      images: images.map(normal),
      additionalImages: additionalImages.map(normal),
    }
  }
})
