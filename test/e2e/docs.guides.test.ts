/** Documents as pages: every link of every document leads somewhere, and nothing that is written in one can act. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import axe from 'axe-core'
import { Hono } from 'hono'
import { afterAll, describe, expect, test } from 'vitest'
import type { HttpEnv } from '../../src/http/env.ts'
import { projectFile } from '../../src/lib/paths.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { mountDocs } from '../../src/web/docs/docs.routes.ts'
import { groupGuides, guidePath, ownDocuments, readGuides, resolveLink } from '../../src/web/docs/guides.ts'
import { writeGuide } from '../../src/web/docs/markdown.ts'
import { useBrowser } from '../browser.ts'
import { createTestApp } from '../harness.ts'
import { listenFirst } from '../listen-first.ts'

const { baseUrl, answerWith } = await listenFirst()
const assets = loadAssets()
const site = { baseUrl, demo: true, stylesheet: assets.stylesheet, script: assets.script }
const world = await createTestApp({ assets, site })
const { app } = world
answerWith(app)

const files = fs.readdirSync(projectFile('docs')).filter((file) => file.endsWith('.md'))
const names = files.map((file) => file.replace(/\.md$/, ''))
const read = async (address: string) => {
  const response = await app.request(address, { headers: { accept: 'text/html' } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const idsIn = (html: string) => [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id ?? '')
const linksIn = (html: string) => [...html.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, href]) => href ?? '')

describe('every document', () => {
  test('is a page with one heading of the first level and no id twice, and is listed where developers look', async () => {
    const { text: docs } = await read('/docs')
    expect(names.length).toBeGreaterThanOrEqual(19)
    for (const name of names) {
      const { status, text, headers } = await read(guidePath(name))
      expect({ name, status }).toEqual({ name, status: 200 })
      expect(text.match(/<h1/g)).toHaveLength(1)
      const ids = idsIn(text)
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
      expect(headers.get('content-security-policy')).toContain(`script-src 'self'`)
      expect(linksIn(docs)).toContain(guidePath(name))
    }
    expect(linksIn(docs)).toContain('#guides')
    expect(idsIn(docs)).toContain('guides')
  })

  test('has only links that lead to something, headings included', async () => {
    const pages = new Map<string, Awaited<ReturnType<typeof read>>>()
    const pageAt = async (address: string) => {
      const page = pages.get(address) ?? (await read(address))
      pages.set(address, page)
      return page
    }
    const broken: string[] = []
    let between = 0
    for (const name of names) {
      const from = guidePath(name)
      const { text } = await pageAt(from)
      for (const link of new Set(linksIn(text.slice(text.indexOf('<main'), text.indexOf('</main>'))))) {
        if (/^https?:/.test(link)) continue
        const [address = '', fragment] = link.split('#')
        const target = await pageAt(address || from)
        if (target.status !== 200) broken.push(`${from}: ${link} is ${target.status}`)
        else if (fragment !== undefined && !idsIn(target.text).includes(decodeURIComponent(fragment)))
          broken.push(`${from}: ${link} has no such place`)
        if (/^\/docs\/.*#/.test(link)) between++
      }
    }
    expect(broken).toEqual([])
    expect(between).toBeGreaterThan(40)
  })

  test('is there as the Markdown it is written in, and its page says where', async () => {
    for (const name of names) {
      const { text, headers } = await read(`${guidePath(name)}.md`)
      expect(text).toBe(fs.readFileSync(projectFile('docs', `${name}.md`), 'utf8'))
      expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    }
    expect((await read('/docs/rfq')).text).toContain(
      `<link rel="alternate" type="text/markdown" href="${baseUrl}/docs/rfq.md"/>`,
    )
  })

  test('names only files that are there where it names a file that has no page', () => {
    const guides = ownDocuments()
    const missing: string[] = []
    let named = 0
    for (const { name, source } of guides.values())
      writeGuide(source, (link) => {
        const target = resolveLink(link, guides)
        if ('file' in target) {
          named++
          if (!fs.existsSync(projectFile(target.file))) missing.push(`${name}: ${target.file}`)
        }
        return target
      })
    expect(missing).toEqual([])
    expect(named).toBeGreaterThan(0)
  })
})

test('who has a guide already is told so', async () => {
  for (const address of ['/docs/rfq', '/docs/rfq.md']) {
    const { headers } = await read(address)
    const etag = headers.get('etag') ?? ''
    expect(etag).not.toBe('')
    expect((await app.request(address, { headers: { 'if-none-match': etag } })).status).toBe(304)
  }
})

test.each(['/docs/nothing', '/docs/..%2fREADME', '/docs/__proto__', '/docs/RFQ'])(
  '%s is not found, and says so on a page',
  async (address) => {
    const { status, text } = await read(address)
    expect(status).toBe(404)
    expect(text).toContain('<h1>Page not found</h1>')
  },
)

test.each(['/docs/nothing.md', '/docs/.md'])(
  '%s is not found, in plain text as it was asked for',
  async (address) => {
    const { status, text } = await read(address)
    expect({ status, text }).toEqual({ status: 404, text: 'Not found.\n' })
  },
)

describe('a folder of documents', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-guides-'))
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))
  fs.writeFileSync(path.join(folder, 'brand-new.md'), '# Something new\n\nWhat it *is*: `this`. And more.\n')
  fs.writeFileSync(path.join(folder, 'rfq.md'), 'No heading here\n')
  fs.writeFileSync(path.join(folder, 'Not a guide.md'), '# No\n')

  test('one that is in no group is listed last, by its title and first sentence', () => {
    const groups = groupGuides(readGuides(folder))
    expect(groups.map(({ guides }) => guides.map(({ name }) => name))).toEqual([['rfq'], ['brand-new']])
    expect(groups.at(-1)?.guides[0]).toMatchObject({ title: 'Something new', summary: 'What it is: this.' })
    expect(groups[0]?.guides[0]).toMatchObject({ title: 'rfq', summary: 'No heading here' })
  })

  test('one that is missing has no guides, and asking for one is asking for nothing', async () => {
    const none = readGuides(path.join(folder, 'nowhere'))
    expect([...none]).toEqual([])
    expect(groupGuides(none)).toEqual([])
    const bare = new Hono<HttpEnv>()
    mountDocs(bare, { site, db: world.ctx.db }, () => none)
    expect((await bare.request('/docs/rfq')).status).toBe(404)
  })
})

describe('what is written', () => {
  const guides = readGuides(projectFile('docs'))
  const write = (source: string) => writeGuide(source, (link) => resolveLink(link, guides)).html.trim()

  test('headings get the ids that code hosts give them', () => {
    const ids = idsIn(
      write(
        '# T\n\n## 8. Agent integration, and `RFQ`\n\n## Keys\n\n### Keys\n\n## Größe & _x_y\n\n## Keys-1',
      ),
    )
    expect(ids).toEqual(['8-agent-integration-and-rfq', 'keys', 'keys-1', 'größe--_x_y', 'keys-1-1'])
  })

  test('links to documents become links to pages, and other files are named', () => {
    expect(write('[one](rfq.md#x)')).toBe('<p><a href="/docs/rfq#x">one</a></p>')
    expect(write('[one](./rfq.md) [two](../docs/a2a.md) [three](#here)')).toBe(
      '<p><a href="/docs/rfq">one</a> <a href="/docs/a2a">two</a> <a href="#here">three</a></p>',
    )
    expect(write('see [README.md](../README.md)')).toBe('<p>see <code>README.md</code></p>')
    expect(write('see [the **kit**](../producer-kit) too')).toBe(
      '<p>see the <strong>kit</strong> (<code>producer-kit</code>) too</p>',
    )
    expect(write('[gone](gone.md)')).toBe('<p>gone (<code>docs/gone.md</code>)</p>')
    expect(write('[site](https://example.com/a?b=1&c)')).toBe(
      '<p><a href="https://example.com/a?b=1&amp;c" rel="noopener">site</a></p>',
    )
  })

  test('markup, scripts and strange addresses are text', () => {
    expect(write('<script>alert(1)</script>')).toBe('<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>')
    for (const link of [
      'javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'ftp://example.com',
      '%E0%A4%A',
    ])
      expect(write(`[x](${link})`)).not.toContain('<a')
    expect(write('![x](https://example.com/x.png)')).not.toContain('<img')
    expect(write('## "><img src=x>\n\n```\n</pre><b>\n```')).not.toMatch(/<img|<b>/)
  })

  test('tables and code are named after the part they stand in, each by a name of its own', () => {
    const html = write(
      '## Limits & more\n\n| a |\n|---|\n| 1 |\n\n| | b |\n|---|---|\n| 2 | 3 |\n\n```sh\nls\n```',
    )
    expect([...html.matchAll(/aria-label="([^"]+)"/g)].map(([, name]) => name)).toEqual([
      'Table 1: Limits &amp; more',
      'Table 2: Limits &amp; more',
      'Example 1: Limits &amp; more',
    ])
    expect(html.match(/<th scope="col">/g)).toHaveLength(2)
  })
})

describe('in a browser', () => {
  const browser = useBrowser()

  test.each([
    ['/docs/tools', 360, 'dark'],
    ['/docs/operating', 1600, 'light'],
  ] as const)(
    '%s at %i pixels, %s, fits and has nothing to object to',
    async (address, width, colorScheme) => {
      const { page, complaints } = await browser.open(`${baseUrl}${address}`, {
        viewport: { width, height: 900 },
        colorScheme,
      })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      await page.evaluate(axe.source)
      // Only what is wrong leaves the browser: all that is right takes longer to send than to find.
      const violations = await page.evaluate<axe.Result[]>(
        `axe.run({ resultTypes: ['violations'], preload: false }).then(({ violations }) => violations)`,
      )
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )
})
