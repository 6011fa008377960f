/** The real model. Similar meanings must be near, whatever the words. */
import { afterAll, describe, expect, test } from 'vitest'
import { createLocalEmbedder } from '../../src/search/embed/local-embedder.ts'
import { firstTokens, loadMinilm, loadTokenizer } from '../../src/search/embed/minilm.ts'

const embedder = createLocalEmbedder()
afterAll(() => embedder.close())

const cosine = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, dim) => sum + value * (b[dim] ?? 0), 0)

describe('the built-in embedder', () => {
  test('gives unit vectors of 384 numbers under an id that names the weights', async () => {
    const vector = await embedder.embedQuery('a quiet keyboard')
    expect(vector).toHaveLength(embedder.dims)
    expect(cosine(vector, vector)).toBeCloseTo(1, 5)
    expect(embedder.id).toMatch(/^all-MiniLM-L6-v2-int8\/128\/\d+\.\d+\.\d+-\d+$/)
  })

  test('finds the meaning where no word is shared', async () => {
    const [query, paraphrase, other] = await embedder.embedDocuments([
      'keep my drink hot on the way to work',
      'insulated travel mug',
      'wireless mouse',
    ])
    if (!query || !paraphrase || !other) throw new Error('a vector is missing')
    expect(cosine(query, paraphrase)).toBeGreaterThan(cosine(query, other))
  })

  test('a text has one vector, whatever it is embedded together with, and each comes back in its place', async () => {
    const texts = ['short', 'a somewhat longer text about a tent for two people', 'x '.repeat(300), 'another']
    const together = await embedder.embedDocuments(texts)
    for (const [index, text] of texts.entries()) {
      const [alone] = await embedder.embedDocuments([text])
      const among = together[index] ?? new Float32Array()
      expect(cosine(alone ?? new Float32Array(), among)).toBeCloseTo(1, 5)
      // Less of a query is read than of a document.
      if (text.length < 100) expect(cosine(await embedder.embedQuery(text), among)).toBeCloseTo(1, 5)
    }
  })

  test('many texts over several threads have the vectors that the model gives each alone', async () => {
    const several = createLocalEmbedder(2)
    const texts = Array.from(
      { length: 70 },
      (_, at) => `tent ${at % 60} for ${at % 7} people ${'with a porch, '.repeat(at % 50)}`,
    )
    const vectors = await several.embedDocuments(texts)
    await several.close()
    const alone = await loadMinilm()
    expect(vectors).toHaveLength(texts.length)
    for (const at of [0, 7, 49, 55, 60, 69])
      expect(cosine(vectors[at] ?? new Float32Array(), await alone(texts[at] ?? ''))).toBeGreaterThan(0.9999)
  })

  test('of a long text no more is read than is needed, and that gives the tokens of the whole', async () => {
    const encode = await loadTokenizer()
    let read = 0
    const counting = (text: string) => {
      read += text.length
      return encode(text)
    }
    const texts = [
      '',
      ' ',
      'short',
      'Σίσυφος, naïve café — “quoted” 12.5 kg '.repeat(60),
      'a b '.repeat(2_000),
      'ab'.repeat(20_000),
      `${'x'.repeat(900)} ${'unbelievableness '.repeat(200)}`,
      '保温杯'.repeat(400),
    ]
    for (const text of texts)
      for (const most of [64, 128]) {
        const ids = encode(text.slice(0, 12_800))
        const expected = ids.length > most ? [...ids.slice(0, most - 1), 102] : ids
        expect(firstTokens(counting, text, most)).toEqual(expected)
      }
    read = 0
    firstTokens(counting, 'a word and another '.repeat(500), 128)
    expect(read).toBeLessThan(1_100)
  })

  test('the same query asked at once and again is computed once', async () => {
    const [a, b] = await Promise.all([embedder.embedQuery('camp stove'), embedder.embedQuery('camp stove')])
    expect(a).toBe(b)
    expect(await embedder.embedQuery('camp stove')).toBe(a)
  })

  test('closed over a batch, it fails the batch once, and leaves nothing that nobody hears of', async () => {
    const stray: unknown[] = []
    const note = (reason: unknown) => void stray.push(reason)
    process.on('unhandledRejection', note)
    const embedder = createLocalEmbedder()
    const batch = embedder.embedDocuments(
      Array.from({ length: 400 }, (_, at) => `text ${at} ${'word '.repeat(80)}`),
    )
    const failed = expect(batch).rejects.toThrow('the embedding thread has ended')
    await embedder.close()
    await failed
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(stray).toEqual([])
  })

  test('an empty text, emoji and very long input are embedded without harm', async () => {
    for (const text of ['', '🏕️🔥', 'ab'.repeat(20_000)])
      expect(await embedder.embedQuery(text)).toHaveLength(384)
  })
})
