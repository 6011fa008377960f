import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describeUnknown, detectFormat, readRows } from './read-rows.ts'
import type { SourceRow } from './rows.ts'
import { unzip } from './zip.ts'

type Entry = {
  name: string
  content: string | Buffer
  stored?: boolean
  /** The sizes stand behind it, with or without their mark. */
  streamed?: 'marked' | 'bare'
  encrypted?: boolean
}

function zip(...entries: Entry[]): Buffer {
  const parts = entries.map(({ name, content, stored, streamed, encrypted }) => {
    const plain = Buffer.from(content as string)
    const packed = stored ? plain : deflateRawSync(plain)
    const sizes = Buffer.alloc(12)
    sizes.writeUInt32LE(crc32(plain), 0)
    sizes.writeUInt32LE(packed.length, 4)
    sizes.writeUInt32LE(plain.length, 8)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    header.writeUInt16LE(20, 4)
    header.writeUInt16LE((streamed ? 8 : 0) | (encrypted ? 1 : 0), 6)
    header.writeUInt16LE(stored ? 0 : 8, 8)
    if (!streamed) sizes.copy(header, 14)
    header.writeUInt16LE(Buffer.byteLength(name), 26)
    const mark = streamed === 'marked' ? [Buffer.from('PK\x07\x08', 'latin1')] : []
    return Buffer.concat([header, Buffer.from(name), packed, ...(streamed ? [...mark, sizes] : [])])
  })
  return Buffer.concat([...parts, Buffer.from('PK\x01\x02', 'latin1'), Buffer.alloc(60)])
}

async function read(file: Buffer, { size = 700 } = {}): Promise<SourceRow[]> {
  async function* pieces() {
    for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size)
  }
  const format = detectFormat('upload.zip', file.subarray(0, 64 * 1024)) ?? 'csv'
  const rows: SourceRow[] = []
  for await (const row of readRows(pieces(), { format })) rows.push(row)
  return rows
}

const CSV = `title,category,price\n${Array.from({ length: 500 }, (_, n) => `Kettle ${n * 7919},kettles,${n}.50\n`).join('')}`
const readme = { name: 'README.txt', content: 'How to use this file, and more.' }
const mac = { name: '__MACOSX/._products.csv', content: 'title,x\n', streamed: 'marked' } as const

describe('a zip file', () => {
  it.each<[string, Entry]>([
    ['packed', { name: 'products.csv', content: CSV }],
    ['stored', { name: 'products.csv', content: CSV, stored: true }],
    ['of sizes behind it', { name: 'export/products.csv', content: CSV, streamed: 'marked' }],
    ['of sizes without a mark', { name: '../../products.csv', content: CSV, streamed: 'bare' }],
  ])('gives the rows of its first file of products, %s', async (_, entry) => {
    for (const others of [[], [readme], [{ ...readme, streamed: 'bare' as const }, mac]]) {
      for (const size of [7, 1_000_000]) {
        const rows = await read(zip(...others, entry, { name: 'more.csv', content: 'title,x\nNo,1\n' }), {
          size,
        })
        expect(rows).toHaveLength(500)
        expect(rows[499]).toMatchObject({ line: 501, product: { title: `Kettle ${499 * 7919}` } })
      }
    }
  })

  it('is known by what is in it', () => {
    expect(detectFormat('a.zip', zip(readme, { name: 'x.xml', content: '<SHOP><SHOPITEM>' }))).toBe('xml')
    expect(detectFormat('a.zip', zip({ name: 'x.json', content: '[{"title":"A"}]', stored: true }))).toBe(
      'json',
    )
  })

  it.each<[string, Buffer, RegExp]>([
    ['a workbook', zip({ name: '[Content_Types].xml', content: '<Types/>' }), /Excel workbook.*CSV/],
    ['encrypted', zip({ name: 'p.csv', content: CSV, encrypted: true }), /encrypted/],
    ['without products', zip({ name: 'a.jpg', content: 'ÿØÿ\0' }), /"a.jpg"/],
  ])('that is %s is refused with words', async (_, file, words) => {
    expect(detectFormat('upload.zip', file)).toBeNull()
    expect(describeUnknown('upload.zip', file)).toMatch(words)
    await expect(read(file)).rejects.toMatchObject({ kind: 'invalid', message: expect.stringMatching(words) })
  })

  it('that holds an archive is refused', async () => {
    for (const inner of [zip({ name: 'p.csv', content: CSV }), gzipSync(CSV)])
      await expect(read(zip({ name: 'products.csv', content: inner }))).rejects.toMatchObject({
        message: expect.stringContaining('another archive'),
      })
  })

  it('is bounded in what it unpacks to, and in how much more that is', async () => {
    async function unpack(content: Buffer, maxBytes: number): Promise<number> {
      async function* whole() {
        yield zip({ name: 'p.csv', content })
      }
      let size = 0
      for await (const part of unzip(whole(), { maxBytes, isWanted: () => true })) size += part.length
      return size
    }
    const lines = Buffer.alloc(20_000_000, 'title,price\n')
    await expect(unpack(lines, 1_000_000)).rejects.toMatchObject({ kind: 'too_large', max: 1_000_000 })
    await expect(unpack(lines, 100_000_000)).rejects.toMatchObject({ kind: 'too_large' })
    expect(await unpack(lines.subarray(0, 5_000_000), 100_000_000)).toBe(5_000_000)
  })

  it('that is damaged or cut off is an error for the owner of the file', async () => {
    const whole = zip({ name: 'products.csv', content: CSV })
    const damaged = Buffer.from(whole)
    damaged.fill(0xff, 60, 200)
    for (const file of [damaged, whole.subarray(0, 1_000)])
      await expect(read(file)).rejects.toMatchObject({ kind: 'invalid' })
  })
})
