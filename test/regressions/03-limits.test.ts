/** What a file may make its reader hold, in every format: what passes a limit is told by its line and the limit. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readRows } from '../../src/catalog/import/read-rows.ts'
import type { ImportFormat, SourceRow } from '../../src/catalog/import/rows.ts'

const RSS = '<rss xmlns:g="http://base.google.com/ns/1.0"><channel>'
const many = (count: number, one: (n: number) => string, between = '') =>
  Array.from({ length: count }, (_, n) => one(n)).join(between)
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`
const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
const keys = (count: number) => `{${many(count, (n) => `"k${n}":1`, ',')}}`

async function read(format: ImportFormat, text: string | Buffer, maxInflatedBytes?: number) {
  async function* pieces() {
    const bytes = Buffer.from(text as string)
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }
  const rows: SourceRow[] = []
  for await (const row of readRows(pieces(), { format, ...(maxInflatedBytes && { maxInflatedBytes }) }))
    rows.push(row)
  return rows
}

test.each<[what: string, format: ImportFormat, text: string, line: number, problem: RegExp]>([
  [
    'attributes',
    'google',
    `${RSS}\n<item${many(65, (n) => ` a${n}=""`)}>`,
    2,
    /gives the element "item" over 64 attributes/,
  ],
  [
    'attributes below an item',
    'google',
    `${RSS}<item>\n\n<title${many(65, (n) => ` a${n}=""`)}/>`,
    3,
    /gives the element "title" over 64 attributes/,
  ],
  [
    'namespaces',
    'google',
    `${RSS}<item${many(65, (n) => ` xmlns:a${n}="u"`)}>`,
    1,
    /gives the element "item" over 64 attributes/,
  ],
  ['depth', 'google', `${RSS}\n${'<a>'.repeat(80)}`, 2, /over 64 deep/],
  [
    'a text',
    'google',
    `${RSS}\n<item><title>x</title><description>${'x'.repeat(300_000)}</description></item></channel></rss>`,
    2,
    /is over 256 KB/,
  ],
  [
    'a text in pieces',
    'google',
    `${RSS}<item><description>${'x<b/>'.repeat(300_000)}</description></item></channel></rss>`,
    1,
    /is over 256 KB/,
  ],
  ['keys', 'jsonl', `{"title":"x"}\n{"title":"x","specs":${keys(1_001)}}`, 2, /an object of over 1,000 keys/],
  ['keys of a row', 'jsonl', keys(1_001), 1, /an object of over 1,000 keys/],
  ['depth', 'jsonl', `\n{"title":"x","a":${nested(40)}}`, 2, /over 32 deep/],
  ['depth as far as a row goes', 'jsonl', `{"title":"x","a":${nested(400_000)}}`, 1, /over 32 deep/],
  [
    'depth beside a key that is left out',
    'jsonl',
    `{"__proto__":1,"a":${nested(400_000)}}`,
    1,
    /over 32 deep|not JSON/,
  ],
  ['a list', 'jsonl', `{"title":"x","images":[${many(10_001, () => '1', ',')}]}`, 1, /a list of over 10,000/],
  ['a row', 'jsonl', `{"title":"${'x'.repeat(1_100_000)}"}`, 1, /is over 1 MB/],
  [
    'columns',
    'csv',
    `${many(1_001, (n) => `c${n}`, ',')}\nx`,
    1,
    /has 1,001 columns, and at most 1,000 are read/,
  ],
  ['columns', 'shopify', `${many(1_001, (n) => `c${n}`, ',')}\nx`, 1, /at most 1,000 are read/],
  ['columns', 'google', `${many(1_001, (n) => `c${n}`, '\t')}\nx`, 1, /at most 1,000 are read/],
  [
    'the pictures of one product',
    'shopify',
    `Handle,Title,Image Src\n${many(20_000, (n) => `h,T,i${n}`, '\n')}`,
    2,
    /a product of over 1 MB/,
  ],
])('%s (%s)', async (_what, format, text, line, problem) => {
  const bad = (await read(format, text)).flatMap((row) => ('problem' in row ? [row] : []))
  expect(bad).toHaveLength(1)
  expect(bad[0]).toMatchObject({ line, problem: { problem: expect.stringMatching(problem) } })
})

test('JSON inside of a cell has the same limits: it stays a text, which the contract refuses', async () => {
  const sheet = (specs: string) => `title,category,specs,themes\nx,y,${cell(specs)},${cell(nested(400_000))}`
  const [row] = await read('csv', sheet(keys(1_001)))
  expect(row).toMatchObject({ product: { specs: keys(1_001), themes: nested(400_000) } })
})

test('a packed file is read up to its limit, and no further', async () => {
  const bomb = gzipSync(`{"title":"x"}\n`.repeat(1_000_000))
  await expect(read('jsonl', bomb, 1024 * 1024)).rejects.toMatchObject({
    kind: 'too_large',
    max: 1024 * 1024,
  })
})
