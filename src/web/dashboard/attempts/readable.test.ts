import { expect, test } from 'vitest'
import { formatMs, layOutJson } from './readable.ts'

test('JSON is laid out without a character of it changed', () => {
  const text = '{"a":1.50,"a":"\\u0041, {x} \\"y\\"","b":[],"c":[1,{"d":null}]}'
  const laidOut = layOutJson(text)
  expect(laidOut.split('\n')).toHaveLength(11)
  expect(laidOut).toContain(
    '  "a": 1.50,\n  "a": "\\u0041, {x} \\"y\\"",\n  "b": [],\n  "c": [\n    1,\n    {',
  )
  expect(JSON.parse(laidOut)).toEqual(JSON.parse(text))
})

test.each(['', 'oops', '<html>', '{"a":', '"text"', `${'['.repeat(200)}${']'.repeat(200)}`])(
  'what is no JSON object, or deeper than people read, is left as it is: %s',
  (text) => expect(layOutJson(text)).toBe(text),
)

test('a time is written as people say it', () => {
  expect([0, 142.4, 1_000, 2_449, 25_000].map(formatMs)).toEqual(['0 ms', '142 ms', '1 s', '2.4 s', '25 s'])
})
