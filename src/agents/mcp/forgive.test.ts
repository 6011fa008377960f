import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createForgiveness } from './forgive.ts'
import { toJsonSchema } from './offered.ts'

const Input = z.object({
  query: z.string(),
  limit: z.int().min(1).default(10),
  max_price: z.number().optional(),
  on_sale: z.boolean().optional(),
  sort: z.enum(['price', 'rating']).optional(),
  sections: z.array(z.string()).optional(),
  fields: z.record(z.string(), z.string()).optional(),
  note: z.string().nullable().optional(),
  price: z.number().nullable().optional(),
})
const forgive = createForgiveness(toJsonSchema(Input, 'input'))

describe('arguments as models send them', () => {
  test.each([
    ['null for what is not known', { query: 'a', limit: null, sort: null }, { query: 'a' }],
    ['an empty text for what is not known', { query: 'a', sort: '', max_price: '' }, { query: 'a' }],
    [
      'null where null has a meaning',
      { query: 'a', note: null, price: null },
      { query: 'a', note: null, price: null },
    ],
    ['an empty text where null has a meaning', { query: 'a', note: '' }, { query: 'a', note: '' }],
    [
      'numbers as text',
      { query: 'a', limit: '5', max_price: '12.50' },
      { query: 'a', limit: 5, max_price: 12.5 },
    ],
    ['money as people write it', { query: 'a', max_price: '$1,299.50' }, { query: 'a', max_price: 1299.5 }],
    ['truth as text', { query: 'a', on_sale: 'true' }, { query: 'a', on_sale: true }],
    ['one entry for a list', { query: 'a', sections: 'specs' }, { query: 'a', sections: ['specs'] }],
    [
      'a list as text',
      { query: 'a', sections: '["specs","offers"]' },
      { query: 'a', sections: ['specs', 'offers'] },
    ],
    ['an object as text', { query: 'a', fields: '{"model":"X"}' }, { query: 'a', fields: { model: 'X' } }],
    ['a text as a number', { query: 4006381333931 }, { query: '4006381333931' }],
    ['what is not known at all', { query: 'a', price_max: 3 }, { query: 'a', price_max: 3 }],
  ])('%s', (_, given, meant) => {
    expect(forgive(given)).toEqual(meant)
    const known = Object.fromEntries(Object.entries(meant).filter(([name]) => name in Input.shape))
    expect(Input.safeParse(known).error).toBeUndefined()
  })

  test.each([
    ['a malformed number', { query: 'a', limit: 'ten' }],
    ['an amount in another currency', { query: 'a', max_price: '€12' }],
    ['a required parameter that is null', { query: null }],
    ['a broken list stays one entry', { query: 'a', fields: '{broken' }],
  ])('%s is left for the schema to refuse', (_, given) => {
    expect(Input.safeParse(forgive(given)).success).toBe(false)
  })

  test('a tool that writes keeps an empty text: leaving it out may mean everywhere', () => {
    const strict = createForgiveness(toJsonSchema(Input, 'input'), { writes: true })
    expect(strict({ query: 'a', sort: '', max_price: '', limit: null })).toEqual({
      query: 'a',
      sort: '',
      max_price: '',
    })
  })

  test('what is right already is not copied', () => {
    const given = { query: 'a', limit: 3, sections: ['x'], fields: { a: 'b' } }
    expect(forgive(given)).toBe(given)
  })

  test('a text is never taken for something else where a text is wanted', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (query) => {
        expect(forgive({ query })).toEqual({ query })
      }),
    )
  })

  test('whatever comes in, forgiving does not throw', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        forgive(given)
        expect(forgive.unknown(given).every((name) => !Object.hasOwn(Input.shape, name))).toBe(true)
      }),
    )
  })
})
