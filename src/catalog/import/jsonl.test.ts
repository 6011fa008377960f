import { describe, expect, it } from 'vitest'
import { readJsonl } from './json-readers.ts'
import type { SourceRow } from './rows.ts'

async function read(...chunks: (string | Uint8Array)[]): Promise<SourceRow[]> {
  async function* input() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  }
  const rows: SourceRow[] = []
  for await (const row of readJsonl(input())) rows.push(row)
  return rows
}

const problemsOf = (rows: SourceRow[]) => rows.flatMap((row) => ('problem' in row ? [row.problem] : []))

describe('a JSONL import file', () => {
  it('gives one product a line, whatever the line ends and the byte order mark', async () => {
    const rows = await read(
      '\ufeff{"title":"Kettle","category":"kettles","price":{"low":49,"high":59}}\r\n',
      '\r\n   \n',
      '{"title":"Théière"}',
    )
    expect(rows).toEqual([
      { line: 1, product: { title: 'Kettle', category: 'kettles', price: { low: 49, high: 59 } } },
      { line: 4, product: { title: 'Théière' } },
    ])
  })

  it('is empty when the file is', async () => {
    expect(await read()).toEqual([])
    expect(await read('\ufeff')).toEqual([])
    expect(await read('\n\n')).toEqual([])
  })

  it('reports a line that is not JSON and reads on', async () => {
    const rows = await read('{"title":"A"}\n{"title":"B"\n{"title":"C"}\n')
    expect(rows[0]).toEqual({ line: 1, product: { title: 'A' } })
    expect(rows[2]).toEqual({ line: 3, product: { title: 'C' } })
    expect(problemsOf(rows)).toEqual([
      {
        line: 2,
        field: null,
        problem: 'is not JSON',
        fix: expect.stringContaining('one'),
      },
    ])
  })

  it.each([
    ['[{"title":"A"}]', 'a list'],
    ['null', 'null'],
    ['42', 'a number'],
    ['"text"', 'a string'],
  ])('reports %s, which is JSON but no object', async (line, kind) => {
    expect(problemsOf(await read(line))[0]?.problem).toBe(`is ${kind}, not an object`)
  })

  it('reports a line that is not UTF-8 instead of reading garbage', async () => {
    const rows = await read('{"title":"', Uint8Array.of(0xe9), '","brand":"Žižkov"}\n{"title":"é"}\n')
    expect(rows.map((row) => 'problem' in row)).toEqual([true, false])
    expect(problemsOf(rows)[0]).toMatchObject({ line: 1, problem: 'is not valid UTF-8' })
  })

  it('passes over a line of more than 1 MB and reads on', async () => {
    const rows = await read('{"title":"A"}\n', `{"title":"${'x'.repeat(3_000_000)}"}\n`, '{"title":"C"}')
    expect(rows).toMatchObject([
      { line: 1, product: { title: 'A' } },
      { line: 2, problem: { line: 2, problem: 'is over 1 MB' } },
      { line: 3, product: { title: 'C' } },
    ])
  })

  it('takes a line of exactly 1 MB and refuses one byte more', async () => {
    const line = (length: number) => `{"title":"${'x'.repeat(length - 12)}"}`
    expect(problemsOf(await read(`${line(1024 * 1024)}\n`))).toEqual([])
    expect(problemsOf(await read(`${line(1024 * 1024 + 1)}\n`))).toHaveLength(1)
    expect(problemsOf(await read(line(1024 * 1024 + 1)))).toHaveLength(1)
  })

  it.each([
    '{"title":"A","__proto__":{"polluted":true},"specs":{"__proto__":{"polluted":true},"Weight":"1 kg"}}',
    '{"title":"A","\\u005f_proto__":{"polluted":true},"specs":{"__\\u0070roto__":{"polluted":true},"Weight":"1 kg"}}',
  ])('drops keys that would become a prototype: %s', async (line) => {
    const [row] = await read(line)
    const product = row && 'product' in row ? row.product : {}
    expect(Object.keys(product)).toEqual(['title', 'specs'])
    expect(Object.keys(product.specs as object)).toEqual(['Weight'])
    expect(Object.assign({}, product)).not.toHaveProperty('polluted')
  })

  it('survives a line nested a hundred thousand deep', async () => {
    const deep = `{"__proto__":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const rows = await read(`${deep}\n{"title":"B"}`)
    expect(rows.at(-1)).toEqual({ line: 2, product: { title: 'B' } })
  })
})
