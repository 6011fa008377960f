/** What a row that is partly wrong tells its author: what they wrote, and what may stand there, in plain words. */
import { expect, test } from 'vitest'
import { forgiveProductInput } from './product-input.ts'

test.each([
  ['rating', 9, '9', 'must be at most 5'],
  ['rating', -1, '-1', 'must be at least 0'],
  ['review_count', 4.5, '4.5', 'must be a whole number'],
  ['review_count', -4, '-4', 'must be at least 0'],
  ['themes', [{ theme: 'Sound', sentiment: 'bad' }], 'bad', 'must be one of positive, negative, mixed'],
  // In dollars, as it was written, and not in the cents that it was read as.
  ['price', { low: 9, high: 3 }, '{"low":9,"high":3}', 'low must not be above high'],
])('%s: %j is noted as %s, and it %s', (field, wrong, value, words) => {
  const { notes } = forgiveProductInput({ category: 'kettles', title: 'Kettle', [field]: wrong }) as {
    notes: unknown[]
  }
  expect(notes).toEqual([
    { field, problem: `was left out: ${words}`, value, fix: expect.stringMatching(/^write /) },
  ])
})
