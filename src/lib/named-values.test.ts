import { expect, test } from 'vitest'
import { parseNamedValues } from './named-values.ts'

const PRESETS = { apples: 1, pears: 2 as number | null }
const read = (text: string) => (text === 'none' ? null : /^\d+$/.test(text) ? Number(text) : undefined)
const parse = (text: string) => parseNamedValues<'apples' | 'pears', number | null>(text, PRESETS, read)

test('what is named is set, the rest keeps its preset, and spaces and case do not matter', () => {
  expect(parse('')).toEqual(PRESETS)
  expect(parse(' Pears = NONE , ')).toEqual({ apples: 1, pears: null })
  expect(parse('apples=7,pears=8')).toEqual({ apples: 7, pears: 8 })
})

test.each([
  ['plums=1', 'valid names are apples, pears'],
  ['apples=1,apples=2', 'apples is given twice'],
  ['apples', 'the value of apples is not valid'],
  ['apples=1=2', 'the value of apples is not valid'],
  ['apples=many', 'the value of apples is not valid'],
  ['__proto__=1', 'valid names are apples, pears'],
])('%s is refused with the reason', (text, reason) => {
  expect(parse(text)).toBe(reason)
})
