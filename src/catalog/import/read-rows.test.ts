import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectFormat, type ReadRowsOptions, readRows } from './read-rows.ts'
import type { ImportFormat, SourceRow } from './rows.ts'

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
const SAMPLES: Record<ImportFormat, Buffer> = {
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
    '\ufeffHandle,Title,Body (HTML),Option1 Name,Option1 Value,Variant Price,Image Src,Image Position\r\nmug,Théière 🫖,"<p>two\r\nlines</p>",Color,漢,12,https://a.example/2.jpg,2\r\nmug,,,,Blue,9,https://a.example/1.jpg,1\r\nshort,row\r\ntent,Tent,,,,3,,\r\n',
  ),
}

describe('reading in pieces', () => {
  for (const format of ['jsonl', 'csv', 'google', 'shopify'] as const) {
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
        { numRuns: 100 },
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
    for (const format of ['jsonl', 'csv', 'google', 'shopify'] as const) {
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
  it('is used for CSV and reported as unused for other formats', async () => {
    const notices: string[] = []
    const options = { mapping: { title: 'Artikel' }, onNotice: (text: string) => notices.push(text) }
    const csv = Buffer.from('Artikel,category\nA,x\n')
    expect(await collect(chunksOf(csv), { ...options, format: 'csv' })).toMatchObject([
      { product: { title: 'A' } },
    ])
    expect(notices).toEqual([])
    await collect(chunksOf(SAMPLES.jsonl), { ...options, format: 'jsonl' })
    expect(notices).toEqual([expect.stringContaining('mapping')])
  })
})

describe('telling the format', () => {
  it.each([
    ['products.jsonl', '{"title":"A"}\n', 'jsonl'],
    ['products.ndjson', '', 'jsonl'],
    ['products.json', '{"title":"A"}\n{"title":"B"}\n', 'jsonl'],
    ['upload', '\ufeff\n{"title":"A"}', 'jsonl'],
    ['products.json', '[{"title":"A"}]', null],
    ['product.json', '{\n  "title": "A"\n}', null],
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
})

describe('memory', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const ROWS = 100_000

  /** Twice, because buffers found dead by the first are given back in the background. */
  const usedAfterGc = async () => {
    collectGarbage()
    await setImmediate()
    collectGarbage()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }

  const text = 'A description of ordinary length, as shops write them for people to read. '.repeat(2)
  const generated: Record<'jsonl' | 'csv', { first: string; row: (n: number) => string }> = {
    jsonl: {
      first: '',
      row: (n) =>
        `{"title":"Product ${n}","category":"kettles","description":"${text}","price":{"low":${n},"high":${n}}}\n`,
    },
    csv: {
      first: 'title,category,description,price\n',
      row: (n) => `"Product ${n}, new",kettles,"${text}",${n}.50\n`,
    },
  }

  it.each(['jsonl', 'csv'] as const)('does not grow with the file: 100,000 rows of %s', async (format) => {
    const { first, row } = generated[format]
    let size = 0
    async function* input() {
      yield Buffer.from(first)
      for (let n = 0; n < ROWS; n += 500) {
        const chunk = Buffer.from(Array.from({ length: 500 }, (_, i) => row(n + i)).join(''))
        size += chunk.length
        yield chunk
      }
    }
    const before = await usedAfterGc()
    let largest = 0
    let count = 0
    for await (const read of readRows(input(), { format })) {
      if (!('product' in read)) throw new Error(JSON.stringify(read))
      count += 1
      if (count % 25_000 === 0) largest = Math.max(largest, (await usedAfterGc()) - before)
    }
    expect(count).toBe(ROWS)
    expect(size).toBeGreaterThan(18_000_000)
    expect(largest).toBeLessThan(10_000_000)
  })

  it('does not grow with a product of endless rows', async () => {
    const before = await usedAfterGc()
    let growth = 0
    async function* input() {
      yield Buffer.from('Handle,Title,Image Src,Option1 Name,Option1 Value\na,A,,Color,\n')
      for (let n = 0; n < 50_000; n += 500) {
        const rows = Array.from(
          { length: 500 },
          (_, i) => `a,,https://a.example/${n + i}/${text},,${text}${n + i}\n`,
        )
        yield Buffer.from(rows.join('').replaceAll(', ', ' '))
      }
      growth = (await usedAfterGc()) - before
    }
    expect(await collect(input(), { format: 'shopify' })).toMatchObject([{ line: 2, problem: { line: 2 } }])
    expect(growth).toBeLessThan(8_000_000)
  })

  it('does not grow with a line that is passed over', async () => {
    const before = await usedAfterGc()
    let growth = 0
    async function* input() {
      yield Buffer.from('{"title":"')
      for (let i = 0; i < 2000; i++) yield Buffer.alloc(50_000, 'x')
      growth = (await usedAfterGc()) - before
      yield Buffer.from('"}\n{"title":"B"}\n')
    }
    expect(await collect(input(), { format: 'jsonl' })).toMatchObject([{ problem: { line: 1 } }, { line: 2 }])
    // The line is 100 MB.
    expect(growth).toBeLessThan(30_000_000)
  })
})
