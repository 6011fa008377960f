import { describe, expect, it } from 'vitest'
import { readGoogle, readGoogleXml } from './google.ts'
import type { SourceRow } from './rows.ts'

async function collect(all: AsyncIterable<SourceRow>): Promise<SourceRow[]> {
  const rows: SourceRow[] = []
  for await (const row of all) rows.push(row)
  return rows
}

async function read(text: string): Promise<SourceRow[]> {
  async function* input() {
    yield Buffer.from(text)
  }
  return collect(readGoogle(input()))
}

const rss = (...items: string[]) =>
  `<?xml version="1.0"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>\n${items.join('\n')}\n</channel></rss>`

const item = (content: string) => `<item><g:id>1</g:id><title>Kettle</title>${content}</item>`

const problemsOf = (rows: SourceRow[]) => rows.flatMap((row) => ('problem' in row ? [row.problem] : []))

describe('a hostile or broken XML feed', () => {
  it('has its own entities neither expanded nor fetched', async () => {
    const lol = Array.from({ length: 30 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
    const feed = (entity: string) =>
      `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "ha">${lol}<!ENTITY file SYSTEM "file:///etc/passwd">]>${rss(item(''), item(`<g:brand>${entity}</g:brand>`)).replace(/^<\?xml.*\?>\n/, '')}`
    for (const entity of ['&l30;', '&l0;', '&file;', '&constructor;', '&__proto__;', '&toString;']) {
      const rows = await read(feed(entity))
      expect(rows[0]).toMatchObject({ product: { title: 'Kettle' } })
      expect(rows.slice(1)).toMatchObject([
        { problem: { problem: expect.stringContaining('undefined entity') } },
      ])
    }
    const withoutUse = await read(feed('Acme'))
    expect(problemsOf(withoutUse)).toEqual([])
    expect(withoutUse).toHaveLength(2)
  })

  it('keeps what came before a syntax error, reports its line once, and ends', async () => {
    const rows = await read(rss(item(''), item(''), '<item><title>A</name></item>', item('')))
    expect(rows.map((row) => 'product' in row)).toEqual([true, true, false])
    expect(problemsOf(rows)).toMatchObject([
      { line: 5, field: null, problem: expect.stringContaining('malformed') },
    ])
  })

  it('has signs that nobody escaped read as they stand, wherever the file is cut into pieces', async () => {
    const text = rss(
      item('<g:brand>Fish & chips &bogus; &#0;Caf&eacute; 3 < 4 && AT&T;</g:brand>'),
      item('<g:brand><![CDATA[R&D & <b> &amp; ]] ]>]]></g:brand>'),
    )
    for (let size = 1; size < 60; size++) {
      async function* input() {
        for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
      }
      expect(await collect(readGoogle(input()))).toMatchObject([
        { product: { brand: 'Fish & chips &bogus;  Café 3 < 4 && AT&T;' } },
        { product: { brand: 'R&D & <b> &amp; ]] ]>' } },
      ])
    }
  })

  it('that is cut off keeps its whole items', async () => {
    const rows = await read(`<rss><channel>${item('')}\n<item><title>B`)
    expect(rows).toMatchObject([{ product: { title: 'Kettle' } }, { line: 2, problem: {} }])
    expect(rows).toHaveLength(2)
  })

  it('of another kind is named', async () => {
    expect(problemsOf(await read('<urlset><url/></urlset>'))).toMatchObject([
      { line: 1, problem: expect.stringContaining('<urlset>') },
    ])
  })

  it.each([
    ['one text', `<description>${'x'.repeat(1_100_000)}</description>`],
    ['CDATA', `<description><![CDATA[${'x'.repeat(1_100_000)}]]></description>`],
    ['many values', '<g:additional_image_link>x</g:additional_image_link>'.repeat(20_000)],
    ['many empty values', '<g:color/>'.repeat(20_000)],
    [
      'many details',
      '<g:product_detail><g:attribute_name>a</g:attribute_name></g:product_detail>'.repeat(20_000),
    ],
    ['an attribute', `<link href="${'x'.repeat(1_100_000)}"/>`],
  ])('with an item over 1 MB by %s passes over it and reads on', async (_, content) => {
    const rows = await read(rss(item(''), item(content), item('')))
    expect(rows.map((row) => 'product' in row)).toEqual([true, false, true])
    expect(problemsOf(rows)).toMatchObject([{ line: 4, problem: 'is over 1 MB' }])
  })

  it.each(['<item><title>', '<item><title><![CDATA[', '<!-- ', '<item a="', '<item><title>&', '<?pi '])(
    'that never ends after %s is given up, keeping what came before',
    async (start) => {
      const { rows, given } = await readEndless(start, (input) => readGoogleXml(input, new Date(), 2 ** 20))
      expect(rows).toMatchObject([
        { product: { title: 'Kettle' } },
        { problem: { problem: expect.stringContaining('over 1 MB') } },
      ])
      expect(given).toBeLessThan(20)
    },
  )

  it('that never ends is given up at 8 MB', async () => {
    const { rows, given } = await readEndless('<item><title>', (input) => readGoogle(input))
    expect(problemsOf(rows)).toMatchObject([{ problem: expect.stringContaining('over 8 MB') }])
    expect(given).toBeLessThan(100)
  })

  async function readEndless(
    start: string,
    read: (input: AsyncIterable<Uint8Array>) => AsyncIterable<SourceRow>,
  ): Promise<{ rows: SourceRow[]; given: number }> {
    let given = 0
    async function* input() {
      yield Buffer.from(`<rss><channel>${item('')}${start}`)
      for (; given < 1000; given++) yield Buffer.alloc(100_000, 'x')
    }
    return { rows: await collect(read(input())), given }
  }

  it('nested without end is given up', async () => {
    const rows = await read(`<rss>${'<a>'.repeat(10_000)}`)
    expect(problemsOf(rows)).toMatchObject([{ problem: expect.stringContaining('64 deep') }])
    expect(rows).toHaveLength(1)
  })
})
