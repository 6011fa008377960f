import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCsv } from './csv.ts'
import { readDelimited } from './delimited.ts'
import type { SourceRow } from './rows.ts'

async function* chunksOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

const read = (text: string): Promise<SourceRow[]> => collect(readCsv(chunksOf(text)))

const problemsOf = (rows: SourceRow[]) => rows.flatMap((row) => ('problem' in row ? [row.problem] : []))

describe('delimited text', () => {
  it('is read by the lines of the file, whatever quotes and blank lines it has', async () => {
    const rows = await read('\n\ntitle,category\r\n"A\r\nB",x\r\n\r\n\r\nC,x\rD,x\n"E\n\nF",x\n,\nG,x')
    expect(rows.map((row) => [row.line, 'product' in row && row.product.title])).toEqual([
      [4, 'A\nB'],
      [8, 'C'],
      [9, 'D'],
      [10, 'E\n\nF'],
      [14, 'G'],
    ])
  })

  it('may hold inch marks and stray quotes', async () => {
    const rows = await read(
      'title,category\n27" monitor,monitors\n"The ""best"" tent",tents\n"Best" tent,tents\n',
    )
    expect(rows.map((row) => 'product' in row && row.product.title)).toEqual([
      '27" monitor',
      'The "best" tent',
      '"Best" tent',
    ])
  })

  it('gives back every cell as it was written', async () => {
    const PIPES: Array<[string, string, string]> = [
      ['', '||', '||||'],
      ['|', '||', 'a'],
    ]
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', ',', ';', '"', '\n', ' ', '|') })
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(',', ';', '\t'), async (cells, mark) => {
        const quoted = [['a', 'b', 'c'], ...cells].map((row) =>
          row.map((text) => `"${text.replaceAll('"', '""')}"`).join(mark),
        )
        const back = (await collect(readDelimited(chunksOf(quoted.join('\n'))))).slice(1)
        const kept = cells.filter((row) => row.join('').trim() !== '')
        expect(back.map((row) => 'cells' in row && row.cells)).toEqual(kept)
      }),
      { numRuns: 150, examples: [[PIPES, ',']] },
    )
  })
})

describe('broken CSV rows', () => {
  it('with too few or too many cells are kept, and what had no column is noted', async () => {
    const rows = await read('title,category,sku\nA,x\nB,x,1,extra\nC,x,2,,\nD,x,3\n')
    expect(rows.map((row) => 'product' in row && [row.product.title, row.notes?.length ?? 0])).toEqual([
      ['A', 0],
      ['B', 1],
      ['C', 0],
      ['D', 0],
    ])
  })

  it('with bytes that are not UTF-8 lose those bytes alone', async () => {
    const damaged = Buffer.concat([
      Buffer.from('title,category\nThéière,x\nM'),
      Buffer.of(0xe9),
      Buffer.from('g,x\n'),
    ])
    const rows = await collect(readCsv(chunksOf(damaged)))
    expect(rows).toMatchObject([
      { product: { title: 'Théière' } },
      { product: { title: 'M\ufffdg' }, notes: [{ problem: expect.stringContaining('not UTF-8') }] },
    ])
    expect(rows[0]).not.toHaveProperty('notes')
  })

  it('over 1 MB are passed over', async () => {
    const rows = await read(`title,category\nA,x\n"${'x\n'.repeat(600_000)}",x\nC,x\n`)
    expect(problemsOf(rows)).toMatchObject([{ line: 3, problem: expect.stringContaining('over 1 MB') }])
    expect(rows.at(-1)).toMatchObject({ line: 600_004, product: { title: 'C' } })
  })

  it.each([
    ['before rows without quotes', 'A,x\n\nB,"x\nC,x\n\nD,x\n', ['A', 'B', 'C', 'D'], 4],
    ['before rows in quotes', 'A,x\n"B,x\n"C, red",x\n"D",x\n', ['A', 'B', 'C, red', 'D'], 3],
    ['with doubled quotes in it', '"B, 27"" wide,x\n"C",x\n', ['B, 27" wide', 'C'], 2],
    ['in the last line', 'A,x\n"B,x', ['A', 'B'], 3],
  ])('with a quote that is never closed (%s) keep to their line, and say so', async (_, text, titles, at) => {
    const rows = await read(`title,category\n${text}`)
    expect(rows.map((row) => 'product' in row && row.product.title)).toEqual(titles)
    const noted = rows.flatMap((row) =>
      'notes' in row && row.notes?.length ? [[row.line, ...row.notes]] : [],
    )
    expect(noted).toMatchObject([[at, { problem: expect.stringContaining('never closed') }]])
  })

  it('with an unclosed quote and too few cells are left out up to the next whole row', async () => {
    const rows = await read('title,sku,category\nA,1,x\n"B\nis, long\nC,2,x\n"D ""wide""",3,x\n')
    expect(rows).toMatchObject([
      { product: { title: 'A' } },
      { line: 3, problem: { problem: expect.stringContaining('never closed, and was left out') } },
      { line: 5, product: { title: 'C' } },
      { line: 6, product: { title: 'D "wide"' } },
    ])
  })

  it('with quotes that are not doubled in a text of many lines are read as they are meant', async () => {
    const rows = await read('title,description\nA,"<p>\n<a href="x">y</a>\n</p>" \nB,z\n')
    expect(rows).toMatchObject([
      { line: 2, product: { title: 'A', description: '<p>\n<a href="x">y</a>\n</p>' } },
      { line: 5, product: { title: 'B' } },
    ])
  })

  it.each([
    ['a quote', 'B,"x\n', 4],
    ['a line', 'B,', 3],
    ['delimiters', 'B', 3, ','],
  ])(
    'that do not end (%s) end the reading, at the right line and without filling the memory',
    async (_, start, line, filler = 'x') => {
      const endless = endlessRow(start, filler)
      const rows = await collect(readDelimited(endless.input, { runawaySize: 2 ** 20 }))
      expect(rows.slice(0, 2)).toMatchObject([{}, { cells: ['A', 'x'] }])
      expect(rows.at(-1)).toMatchObject({
        line,
        problem: { problem: expect.stringContaining('within 1 MB') },
      })
      expect(endless.isClosed()).toBe(true)
    },
  )

  it('that do not end are read up to 8 MB', async () => {
    const endless = endlessRow('B,', 'x')
    const rows = await collect(readCsv(endless.input))
    expect(rows).toMatchObject([
      { product: { title: 'A' } },
      { line: 3, problem: { problem: expect.stringContaining('within 8 MB') } },
    ])
    expect(endless.isClosed()).toBe(true)
  })

  function endlessRow(start: string, filler: string) {
    let isClosed = false
    async function* input() {
      try {
        yield Buffer.from(`title,category\nA,x\n${start}`)
        for (let i = 0; i < 1000; i++) yield Buffer.alloc(100_000, filler)
      } finally {
        isClosed = true
      }
    }
    return { input: input(), isClosed: () => isClosed }
  }
})
