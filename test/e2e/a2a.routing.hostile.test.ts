/**
 * Anybody may send a message, and reading it holds up everybody else. Each of these once took, or could take, time that
 * grows with the square of its length: all of them together must fit into the time of one ordinary test.
 */
import { expect, test } from 'vitest'
import { MESSAGES_NOW } from '../../eval/messages.ts'
import { MAX_TEXT } from '../../src/agents/a2a/routing/message.ts'
import { routeMessage } from '../../src/agents/a2a/routing/route-message.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { demoSearch } from '../demo-search.ts'

const search = await demoSearch()
const clock = manualClock(MESSAGES_NOW)

const names = Array.from({ length: 40 }, (_, step) => search.index().at(step * 9))
  .flatMap((product) => (product?.brand ? [`${product.brand} ${product.model}`] : []))
  .join(' ')
const HEADS = ['quote ', 'quote tents to Texas ', `quote ${names.slice(0, 400)} `]
const MARKS = ['(', '.', '@', '%', '"', ':', '-', '/', '1/', '1-']

test.each(HEADS)('a message of nothing but marks behind "%s" is read at once', async (head) => {
  for (const mark of MARKS)
    expect(await routeMessage({ search, clock }, head + mark.repeat(MAX_TEXT))).toBeDefined()
})

test('a message that says the same again and again is read at once', async () => {
  for (const word of [
    'tent ',
    'qty : ',
    'of the ',
    '9999-01-01t',
    '5 tents ',
    'by 1 ',
    'new york ',
    'a few ',
  ])
    expect(await routeMessage({ search, clock }, `quote ${word.repeat(MAX_TEXT)}`)).toBeDefined()
})
