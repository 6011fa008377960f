/**
 * Work that grows with what a caller sends. Each place is given the most a request has room for, and the steps are
 * counted: scans of the dictionary, look-ups, calls of the model, values read. No clock is looked at.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { createDemoSearch } from '../../eval/demo.ts'
import { MESSAGES_NOW } from '../../eval/messages.ts'
import { MAX_TEXT } from '../../src/agents/a2a/routing/message.ts'
import { routeMessage } from '../../src/agents/a2a/routing/route-message.ts'
import { findMentions, MOST_MENTIONS } from '../../src/bundles/mentions.ts'
import { flawOfJson, MAX_DEPTH, MAX_VALUES, readBoundedJson } from '../../src/lib/bounded-json.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { loadMinilm, QUERY_TOKENS } from '../../src/search/embed/minilm.ts'
import type { LexicalIndex } from '../../src/search/lexical/lexical-index.ts'
import { toQueryTerms } from '../../src/search/lexical/query-terms.ts'
import { prepareQuery } from '../../src/search/prepare.ts'
import { MAX_QUERY } from '../../src/search/search.schema.ts'
import { cutQuery, HEAD_TOKENS, TAIL_TOKENS, tokenize } from '../../src/search/understand/tokens.ts'
import { createToolsWorld } from '../tools.world.ts'

const search = await createDemoSearch()
afterAll(() => search.close())
const index = search.index()
const clock = manualClock(MESSAGES_NOW)

/** The same words for every run: a generator of its own. */
function createWords(seed = 7) {
  let state = seed
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
  return (length: number) =>
    Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz'[Math.floor(next() * 26)]).join('')
}
const word = createWords()

function fill(most: number, one: () => string, between = ' '): string {
  const words = [one()]
  let length = words[0]?.length ?? 0
  for (;;) {
    const next = one()
    length += between.length + next.length
    if (length > most) return words.join(between)
    words.push(next)
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const NONSENSE: Record<string, (most: number) => string> = {
  'words of six letters': (most) => fill(most, () => word(6)),
  'words of nine letters': (most) => fill(most, () => word(9)),
  'words of thirty letters': (most) => fill(most, () => word(30)),
  'single letters': (most) => fill(most, () => word(1)),
  'words with hyphens': (most) => fill(most, () => word(6), '-'),
  'words that are nearly known': (most) => fill(most, () => `espr${word(1)}sso${word(1)}`),
  'letters and digits': (most) => fill(most, () => `${word(3)}${LETTERS.indexOf(word(1))}${word(3)}`),
  'nothing but negations': (most) => fill(most, () => `not ${word(5)}`),
  'one word': word,
}

/** The index of the demo catalog, counting what it is asked. */
function counting(words: LexicalIndex) {
  const asked = { near: 0, lookups: 0 }
  const counted = Object.create(words, {
    near: {
      value: (text: string, limit: number) => {
        asked.near++
        return words.near(text, limit)
      },
    },
    has: {
      value: (term: string) => {
        asked.lookups++
        return words.has(term)
      },
    },
    documents: {
      value: (term: string) => {
        asked.lookups++
        return words.documents(term)
      },
    },
  }) as LexicalIndex
  return { asked, counted }
}

describe('a search', () => {
  test.each(Object.entries(NONSENSE))(
    'for %s costs no more look-ups than forty words do, and twelve scans of the dictionary',
    async (_what, write) => {
      const text = write(MAX_QUERY)
      const { asked, counted } = counting(index.words)
      const embedded: string[] = []
      const seen = Object.create(index, { words: { value: counted } }) as typeof index
      await prepareQuery(seen, text, async (said) => {
        embedded.push(said)
        return new Float32Array(384)
      })
      expect(asked.near).toBeLessThanOrEqual(12)
      expect(asked.lookups).toBeLessThanOrEqual(1_500)
      for (const said of embedded)
        expect(tokenize(said).length).toBeLessThanOrEqual(HEAD_TOKENS + TAIL_TOKENS + 1)
    },
  )

  test.each(Object.entries(NONSENSE))(
    'for %s costs the same whether a thousand characters are sent or a hundred thousand',
    (_what, write) => {
      const costs = [1_000, 100_000].map((most) => {
        const { asked, counted } = counting(index.words)
        toQueryTerms(write(most), counted)
        return asked
      })
      expect(costs[1]?.near).toBeLessThanOrEqual(12)
      expect(costs[1]?.lookups).toBeLessThanOrEqual((costs[0]?.lookups ?? 0) + 1_000)
    },
  )

  test('reads the beginning and the end of a long question, and a short one whole', () => {
    const short = 'quiet robot vacuum for pet hair, under $500, without a cloud account'
    expect(cutQuery(short)).toBe(short)
    const long = `robot vacuum for pet hair ${fill(900, () => 'really please')} under $321`
    const cut = cutQuery(long)
    expect(tokenize(cut).length).toBe(HEAD_TOKENS + TAIL_TOKENS + 1)
    expect(cut.startsWith('robot vacuum for pet hair')).toBe(true)
    expect(search.understand(cut).budget).toMatchObject({ maxCents: 32_100 })
    expect(cutQuery(cut).length).toBeLessThanOrEqual(cut.length)
  })

  test('gives the model so many tokens of a query at most', async () => {
    const embed = await loadMinilm()
    const [whole, cut] = [fill(1_000, () => 'kettle'), fill(60 * 7, () => 'kettle')]
    const a = await embed(whole, QUERY_TOKENS)
    const b = await embed(cut, QUERY_TOKENS)
    const full = await embed(whole)
    expect(await search.embed(whole)).toEqual(a)
    const cosine = (one: Float32Array, other: Float32Array) =>
      one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
    expect(cosine(a, b)).toBeGreaterThan(0.98)
    expect(a).not.toEqual(full)
  })
})

describe('a message', () => {
  test.each(Object.entries(NONSENSE))('of %s costs few scans of the dictionary', async (_what, write) => {
    let near = 0
    const { words } = index
    const counted = Object.create(words, {
      near: {
        value: (said: string, limit: number) => {
          near++
          return words.near(said, limit)
        },
      },
    }) as LexicalIndex
    const seen = Object.create(index, { words: { value: counted } }) as typeof index
    await routeMessage({ search: { ...search, index: () => seen }, clock }, `quote ${write(MAX_TEXT)}`)
    // The message is read twice at most, and each time its products are looked for twice.
    expect(near).toBeLessThanOrEqual(4 * 12)
  })

  test('that names hundreds of products is read for the first of them', async () => {
    const slugs = Array.from({ length: 400 }, (_, at) => index.at(at)?.slug ?? '').join(' ')
    let found = 0
    const seen = Object.create(index, {
      findBySlug: {
        value: (slug: string) => {
          const slot = index.findBySlug(slug)
          if (slot !== undefined) found++
          return slot
        },
      },
    }) as typeof index
    await routeMessage(
      { search: { ...search, index: () => seen }, clock },
      `quote ${slugs}`.slice(0, MAX_TEXT),
    )
    expect(found).toBeLessThanOrEqual(2 * 12)
  })

  test('that names hundreds of kinds of things mentions twenty', () => {
    const tokens = tokenize(fill(MAX_TEXT, () => 'tent, kettle, laptop, stove, chair'))
    expect(
      findMentions(tokens, new Uint8Array(tokens.length), index.vocabulary()).length,
    ).toBeLessThanOrEqual(MOST_MENTIONS)
  })
})

describe('JSON', () => {
  const bytes = (text: string) => Buffer.from(text)

  test('is looked over before it is parsed: too deep or too many values never reach the parser', () => {
    const deep = (levels: number) => bytes('['.repeat(levels) + ']'.repeat(levels))
    expect(flawOfJson(deep(MAX_DEPTH))).toBeNull()
    expect(flawOfJson(deep(MAX_DEPTH + 1))).toMatch(/levels deep/)
    expect(flawOfJson(bytes('{"a":'.repeat(MAX_DEPTH + 1)))).toMatch(/levels deep/)
    expect(flawOfJson(bytes(`[${'1,'.repeat(MAX_VALUES)}1]`))).toMatch(/values/)
    expect(flawOfJson(bytes(`[${'[],'.repeat(MAX_VALUES)}1]`))).toMatch(/values/)
  })

  test('in texts is not counted, however it is escaped', () => {
    for (const text of [
      '['.repeat(5_000),
      ','.repeat(200_000),
      '"['.repeat(5_000),
      '\\"{'.repeat(5_000),
      '\\',
    ])
      expect(readBoundedJson(bytes(JSON.stringify({ text })))).toEqual({ value: { text } })
    expect(readBoundedJson(bytes(`"${'\\\\'.repeat(9)}", [`))).toEqual({ notJson: true })
    expect(readBoundedJson(bytes('"never closed'))).toEqual({ notJson: true })
    expect(readBoundedJson(Buffer.from([0x22, 0xff, 0x22]))).toEqual({ notJson: true })
  })
})

describe('every face that takes JSON refuses it before it is parsed', async () => {
  const world = await createToolsWorld()
  const { token } = await world.person()
  const deep = '['.repeat(101) + ']'.repeat(101)
  const wide = `[${'0,'.repeat(MAX_VALUES)}0]`
  const json = { 'content-type': 'application/json' }
  const faces: Record<string, (value: string) => Promise<Response>> = {
    'the tool server': async (value) =>
      world.rpc(token, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${value}}}`),
    A2A: async (value) =>
      world.app.request('/a2a/', {
        method: 'POST',
        // 0.3 has its errors in answers of 200.
        headers: { ...json, 'a2a-version': '1.0' },
        body: `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"x":${value}}}`,
      }),
    REST: async (value) =>
      world.app.request('/api/search/', {
        method: 'POST',
        headers: json,
        body: `{"query":"a","x":${value}}`,
      }),
    UCP: async (value) =>
      world.app.request('/catalog/lookup', {
        method: 'POST',
        headers: json,
        body: `{"ids":["a"],"x":${value}}`,
      }),
    'the registration of clients': async (value) =>
      world.app.request('/api/oauth/register/', {
        method: 'POST',
        headers: json,
        body: `{"redirect_uris":["https://a.example/"],"x":${value}}`,
      }),
  }

  test.each(Object.entries(faces))('%s', async (_face, send) => {
    for (const [value, why] of [
      [deep, /levels deep/],
      // Where bodies are smaller than that, their size is refused.
      [wide, /values|over the limit/],
    ] as const) {
      const answer = await send(value)
      expect([400, 413]).toContain(answer.status)
      expect(await answer.text()).toMatch(why)
    }
    expect(await (await send('[[1],[2]]')).text()).not.toMatch(/levels deep|values/)
  })

  test('a tool’s argument that is JSON in a text is bounded alike', async () => {
    const args = { query: 'a kettle', must_have: deep }
    // It is no list then, but one wish, which is too long.
    expect((await world.call({ token }, 'product_curator', args)).error).toMatchObject({
      field: 'must_have.0',
      max: 100,
    })
  })
})
