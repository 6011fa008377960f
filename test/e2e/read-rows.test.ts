import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  describeUnknown,
  detectFormat,
  type ReadRowsOptions,
  readRows,
} from '../../src/catalog/import/read-rows.ts'
import type { ImportFormat, SourceRow } from '../../src/catalog/import/rows.ts'
import type { ImportMemory } from '../import-memory.ts'

async function* chunksOf(bytes: Uint8Array, cuts: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const ends = [...new Set([...cuts, bytes.length])].sort((a, b) => a - b)
  let from = 0
  for (const to of ends) {
    yield bytes.subarray(from, to)
    from = to
  }
}

async function collect(input: AsyncIterable<Uint8Array>, options: ReadRowsOptions): Promise<SourceRow[]> {
  const rows: SourceRow[] = []
  for await (const row of readRows(input, options)) rows.push(row)
  return rows
}

/** Each with several bytes a character, both line ends, a multi-line value, and a row that is a problem. */
const SAMPLES = {
  jsonl: Buffer.concat([
    Buffer.from('\ufeff{"title":"Théière 🫖","category":"kettles"}\r\n\r\n{"title":"漢"}\n{"title":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}\r\n[1]\n{"title":"last"}'),
  ]),
  csv: Buffer.concat([
    Buffer.from(
      '\ufeff"Title";Category;Price;"Best ""for"""\r\n"Théière ""🫖""\r\nnew";kettles;12,50;a|b\r\n\r\n"";x;;\r\n27" 漢;x;1\r\n"A"b;',
    ),
    Buffer.from([0xe9]),
    Buffer.from(';1;\nlast;x;£3;\r"open;x'),
  ]),
  google: Buffer.concat([
    Buffer.from(
      '\ufeff<?xml version="1.0"?>\r\n<rss xmlns:g="http://base.google.com/ns/1.0"><channel>\r\n<item>\r\n<g:id>1</g:id><title>Théière &#x1FAD6; 🫖 &amp; <![CDATA[a]]b]]></title>\r\n<description>two\r\nlines</description><g:price>12 USD</g:price></item>\n<item><title>',
    ),
    Buffer.from([0xe9]),
    Buffer.from(
      '</title></item><item\r\n><title>漢</title></item>\r\n<item><title>A & B</title></item></channel></rss>',
    ),
  ]),
  shopify: Buffer.from(
    '\ufeffHandle,Title,Body (HTML),Option1 Name,Option1 Value,Variant Price,Image Src,Image Position\r\nmug,Théière 🫖,"<p>two\r\nlines</p>",Color,漢,12,https://a.example/2.jpg,2\r\nmug,,,,Blue,9,https://a.example/1.jpg,1\r\n,,,,,,https://a.example/3.jpg,3\r\ntent,Tent,,,,3,,\r\n',
  ),
  json: Buffer.concat([
    Buffer.from(
      '\ufeff{\r\n "page": {"next": null, "tags": ["a"]},\r\n "products": [\r\n  {"name": "Théière \\"🫖\\\\", "price": {"amount": 12.5, "currency": "EUR"}},\r\n  7, "x", [1], {"name": "',
    ),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"},{"name": "漢", "a": [{"b": "]}"}]}\r\n ] }'),
  ]),
  jsonld: Buffer.from(
    '\ufeff<!doctype html>\r\n<html><script type="application/ld+json">{"@context":"https://schema.org",\r\n"@type":"Product","name":"Théière 🫖"}</script>\r\n<script type="application/ld+json">{broken</script><script>var x = "</div>"</script><script type="application/ld+json">[{"@type":"Product","name":"漢"}]</script></html>',
  ),
  xml: Buffer.concat([
    Buffer.from(
      '\ufeff<?xml version="1.0"?>\r\n<SHOP>\r\n<SHOPITEM id="1"><PRODUCTNAME>Théière &#x1FAD6; 🫖 &amp; &nbsp;<![CDATA[a]]b]]></PRODUCTNAME><PRICE_VAT>12</PRICE_VAT></SHOPITEM>\n<SHOPITEM><PRODUCTNAME>',
    ),
    Buffer.from([0xe9]),
    Buffer.from(
      '</PRODUCTNAME></SHOPITEM><SHOPITEM\r\n><PRODUCTNAME>漢</PRODUCTNAME></SHOPITEM>\r\n<SHOPITEM>A & B</SHOPITEM></SHOP>',
    ),
  ]),
} satisfies Partial<Record<ImportFormat, Buffer>>
const SAMPLED = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[]

describe('reading in pieces', () => {
  for (const format of SAMPLED) {
    const bytes = SAMPLES[format]

    it(`gives the same ${format} rows wherever the bytes are cut`, async () => {
      const whole = await collect(chunksOf(bytes), { format })
      expect(whole.filter((row) => 'product' in row).length).toBeGreaterThanOrEqual(2)
      expect(whole.filter((row) => 'problem' in row).length).toBeGreaterThanOrEqual(1)
      const everywhere = Array.from(bytes, (_, index) => index)
      expect(await collect(chunksOf(bytes, everywhere), { format })).toEqual(whole)
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
          expect(await collect(chunksOf(bytes, cuts), { format })).toEqual(whole)
        }),
        { numRuns: 30 },
      )
    })

    it(`gives the same ${format} rows from gzip, wherever that is cut`, async () => {
      const whole = await collect(chunksOf(bytes), { format })
      const packed = gzipSync(bytes)
      for (const cuts of [[], [1], [1, 2, 3, 11, packed.length - 1]]) {
        expect(await collect(chunksOf(packed, cuts), { format })).toEqual(whole)
      }
    })

    it(`closes its source when the reader of ${format} stops early`, async () => {
      let isClosed = false
      async function* endless() {
        try {
          for (;;) yield bytes
        } finally {
          isClosed = true
        }
      }
      for await (const row of readRows(endless(), { format })) {
        expect(row.line).toBeGreaterThan(0)
        break
      }
      await expect.poll(() => isClosed).toBe(true)
    })
  }

  it('passes on what goes wrong in the source', async () => {
    for (const format of SAMPLED) {
      async function* failing() {
        yield SAMPLES[format]
        throw new Error('connection lost')
      }
      await expect(collect(failing(), { format })).rejects.toThrow('connection lost')
    }
  })
})

describe('gzip', () => {
  it('is bounded in what it unpacks to', async () => {
    const bomb = gzipSync(Buffer.alloc(4_000_000, '\n'))
    expect(bomb.length).toBeLessThan(50_000)
    await expect(
      collect(chunksOf(bomb), { format: 'jsonl', maxInflatedBytes: 2_000_000 }),
    ).rejects.toMatchObject({
      kind: 'too_large',
      max: 2_000_000,
    })
    expect(await collect(chunksOf(bomb), { format: 'jsonl', maxInflatedBytes: 4_000_000 })).toEqual([])
  })

  it('that was packed to unpack to very much is refused early, whatever the bound', async () => {
    const rows = Buffer.alloc(40_000_000, '{"title":"Kettle"}\n')
    let read = 0
    const reading = async () => {
      for await (const _ of readRows(chunksOf(gzipSync(rows)), { format: 'jsonl' })) read += 1
    }
    await expect(reading()).rejects.toThrow('unpacks to more than 100 times its size')
    expect(read * 19).toBeLessThan(20_000_000)
  })

  it('that is damaged or cut off is an error for the owner of the file', async () => {
    const packed = gzipSync(SAMPLES.jsonl)
    const damaged = Buffer.from(packed)
    damaged.fill(0xff, 12, 30)
    for (const bytes of [damaged, packed.subarray(0, -10)]) {
      await expect(collect(chunksOf(bytes), { format: 'jsonl' })).rejects.toMatchObject({ kind: 'invalid' })
    }
  })
})

describe('a mapping', () => {
  it('is used where names are free and reported as unused elsewhere', async () => {
    const notices: string[] = []
    const options = { mapping: { title: 'Artikel' }, onNotice: (text: string) => notices.push(text) }
    const csv = Buffer.from('Artikel,category\nA,x\n')
    expect(await collect(chunksOf(csv), { ...options, format: 'csv' })).toMatchObject([
      { product: { title: 'A' } },
    ])
    expect(notices).toEqual([])
    const jsonl = Buffer.from('{"Artikel":"A","title":"B"}')
    expect(await collect(chunksOf(jsonl), { ...options, format: 'jsonl' })).toMatchObject([
      { product: { title: 'A' } },
    ])
    expect(notices).toEqual([])
    await collect(chunksOf(SAMPLES.google), { ...options, format: 'google' })
    expect(notices).toEqual([expect.stringContaining('mapping')])
  })
})

describe('telling the format', () => {
  it.each([
    ['products.jsonl', '{"title":"A"}\n', 'jsonl'],
    ['products.ndjson', '', 'jsonl'],
    ['products.json', '{"title":"A"}\n{"title":"B"}\n', 'jsonl'],
    ['upload', '\ufeff\n{"title":"A"}', 'jsonl'],
    ['products.json', '[{"title":"A"}]', 'json'],
    ['products.jsonl', '\ufeff  [{"title":"A"}]', 'json'],
    ['product.json', '{\n  "title": "A"\n}', 'json'],
    ['upload', '{"products":[{"title":"A"},{"title":"B"}]}', 'json'],
    ['upload', '{"total":2,"data":[{"name":"A"', 'json'],
    ['rows.jsonl', '{"title":"A","description":"cut off', 'jsonl'],
    ['rows.jsonl', '{"title":"A","variants":[{"id":1},{"id":2}]}', 'jsonl'],
    ['product.json', '{"@context":"https://schema.org","@type":"Product","name":"A"}', 'jsonld'],
    ['page.html', '<!DOCTYPE html><script type="application/ld+json">{', 'jsonld'],
    ['heureka.xml', '<?xml version="1.0"?>\n<SHOP><SHOPITEM>', 'xml'],
    ['upload', '<yml_catalog date="2026-03-01">', 'xml'],
    ['feed.xml', '<feed><product><name>', 'xml'],
    ['sitemap.xml', '<?xml version="1.0"?><urlset>', null],
    ['products.csv', 'Title;Price\nA;1', 'csv'],
    ['products.CSV', '"Artikel, neu",Preis\n', 'csv'],
    ['products.tsv', 'name\tbrand\n', 'csv'],
    ['upload', 'Product Name,Price\r\n', 'csv'],
    ['letter.txt', 'Dear shop', null],
    ['upload', 'Dear shop, hello', null],
    ['products_export.csv', 'Handle,Title,Body (HTML),Vendor,Variant SKU\n', 'shopify'],
    ['products_export.csv', 'Title,URL handle,Description,Option1 name,SKU,Price\n', 'shopify'],
    ['handles.csv', 'Handle,Title,Price\n', 'csv'],
    ['feed.xml', '<?xml version="1.0"?>\n<rss version="2.0">', 'google'],
    ['feed', '<feed xmlns="http://www.w3.org/2005/Atom">', 'google'],
    ['feed.xml', '<?xml version="1.0"?><!-- a long comment', 'google'],
    ['page.html', '<!doctype html><html>', null],
    ['feed.txt', 'id\ttitle\tdescription\tlink\tprice\n', 'google'],
    ['feed.csv', 'id,title,link,image link,price\n', 'google'],
    ['feed.csv', 'id,title,link,price\n', 'csv'],
    ['book.xlsx', 'PK\u0003\u0004\0\0,', null],
    ['book.csv', 'PK\u0003\u0004\0\0,', null],
    ['empty.csv', '', null],
  ])('%s starting with %j is %s', (fileName, start, format) => {
    expect(detectFormat(fileName, Buffer.from(start))).toBe(format)
    const packed = gzipSync(Buffer.from(start))
    expect(detectFormat(`${fileName}.gz`, packed)).toBe(format)
  })

  it('works from a part of a gzip file, and of UTF-16', () => {
    const rows = Array.from({ length: 2000 }, (_, i) => `h-${i},T${i * 7919},${Math.sin(i)}\n`).join('')
    const packed = gzipSync(`Handle,Title,Variant Price\n${rows}`)
    expect(detectFormat('export.csv.gz', packed.subarray(0, 5000))).toBe('shopify')
    expect(detectFormat('feed.txt', Buffer.from('\ufeffid\ttitle\tlink\tprice\r\n', 'utf16le'))).toBe(
      'google',
    )
    expect(detectFormat('broken.csv.gz', Uint8Array.of(0x1f, 0x8b, 0xff, 0xff))).toBeNull()
  })

  it('agrees with the reader on every sample', () => {
    for (const [format, bytes] of Object.entries(SAMPLES)) expect(detectFormat('upload', bytes)).toBe(format)
  })

  it.each([
    ['empty.csv', '', /is empty/],
    ['book.xls', '\xd0\xcf\x11\xe0', /Excel workbook.*CSV/],
    ['list.pdf', '%PDF-1.7', /PDF/],
    ['page.html', '<!doctype html><html>', /web page/],
    ['sitemap.xml', '<urlset>', /<urlset> is not a product feed.*--format/],
    ['letter.txt', 'Dear shop', /"Dear shop".*--format/],
    ['picture', 'ab\0\0', /not text/],
  ])('says what %s is and what to do', (fileName, start, words) => {
    const bytes = Buffer.from(start, 'latin1')
    expect(detectFormat(fileName, bytes)).toBeNull()
    expect(describeUnknown(fileName, bytes)).toMatch(words)
  })
})

describe('memory', () => {
  let memory: ImportMemory
  beforeAll(async () => {
    memory = await new Promise((resolve, reject) => {
      const script = new URL('../import-memory.ts', import.meta.url)
      new Worker(script).on('message', resolve).on('error', reject)
    })
  })

  it.each(['jsonl', 'csv'] as const)('does not grow with the file: 20,000 rows of %s', (format) => {
    const { rows, bytes, heldBytes } = memory[format]
    expect(rows).toBe(20_000)
    expect(bytes).toBeGreaterThan(3_700_000)
    expect(heldBytes).toBeLessThan(2_500_000)
  })

  it('does not grow with a product of endless rows', () => {
    const { read, bytes, heldBytes } = memory.endlessProduct
    expect(read).toMatchObject([{ line: 2, problem: { line: 2 } }])
    expect(bytes).toBeGreaterThan(6_000_000)
    expect(heldBytes).toBeLessThan(4_000_000)
  })

  it('does not grow with a line that is passed over', () => {
    const { read, bytes, heldBytes } = memory.endlessLine
    expect(read).toMatchObject([{ problem: { line: 1 } }, { line: 2 }])
    expect(bytes).toBe(50_000_000)
    expect(heldBytes).toBeLessThan(15_000_000)
  })
})
