/** Files to import that are made to hurt their reader: each ends in one row that says what is wrong, however long it is. */
import { describe, expect, test } from 'vitest'
import { readRows } from '../../src/catalog/import/read-rows.ts'
import type { ImportFormat, SourceRow } from '../../src/catalog/import/rows.ts'

describe('a file to import ends in one row that says what is wrong:', () => {
  const XML = '<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel>'
  const CSV = 'title,brand,category\n'
  const laughs = Array.from(
    { length: 9 },
    (_, at) => `<!ENTITY e${at} "${at ? `&e${at - 1};`.repeat(10) : 'ha'}">`,
  ).join('')
  test.each<[what: string, format: ImportFormat, text: string, problem: RegExp]>([
    ['a line of 9 MB', 'csv', CSV + 'x'.repeat(9_000_000), /does not end within 8 MB/],
    ['nothing but quotes', 'csv', CSV + '"'.repeat(2_000_001), /never closed/],
    ['quotes inside of cells', 'csv', CSV + 'a,"b""'.repeat(300_000), /over 1 MB/],
    ['100,000 columns', 'csv', `${CSV}${'1,'.repeat(100_000)}\n`, /has 100000 columns/],
    ['elements in elements', 'google', XML + '<a>'.repeat(20_000), /nests elements over 64 deep/],
    [
      'entities of entities',
      'google',
      `<!DOCTYPE rss [${laughs}]>${XML}<item><title>&e8;</title></item>`,
      /malformed XML/,
    ],
    ['a tag that never ends', 'google', `${XML}<item a="${'x'.repeat(2_000_000)}`, /malformed XML/],
    ['an array that never ends', 'jsonl', '['.repeat(2_000_000), /over 1 MB/],
  ])('%s', async (_what, format, text, problem) => {
    async function* pieces() {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    }
    const rows: SourceRow[] = []
    for await (const row of readRows(pieces(), { format })) rows.push(row)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows).length).toBeLessThan(2_000)
    expect(rows[0]).toMatchObject({ problem: { problem: expect.stringMatching(problem) } })
  })
})
