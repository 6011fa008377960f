import { expect, test } from 'vitest'
import type { Answered } from './find-results.ts'
import { createWrittenPages } from './written-pages.ts'

const answer = (queryId: string, results: Answered['results'] = []): Answered => ({
  queryId,
  results,
  productIds: [],
  matching: 0,
  total: 0,
  match: 'good',
  note: null,
  nearest: [],
  obeyed: [],
  mode: 'semantic',
})

test('a page is the same for the same answer, with the id of the new query wherever the old one stood', () => {
  const pages = createWrittenPages()
  const first = answer('one')
  pages.keep('/search?q=tent', first, '<a data-query-id="one">A</a><a data-query-id="one">B</a>')
  expect(pages.find('/search?q=tent', { ...first, queryId: 'two' })).toBe(
    '<a data-query-id="two">A</a><a data-query-id="two">B</a>',
  )
})

test('another answer to the same words, or other words, find nothing', () => {
  const pages = createWrittenPages()
  const first = answer('one')
  pages.keep('/search?q=tent', first, 'page')
  expect(pages.find('/search?q=tent', answer('two'))).toBeNull()
  expect(pages.find('/search?q=tents', first)).toBeNull()
})

test('only so many are kept, the last written ones', () => {
  const pages = createWrittenPages(2)
  const same = answer('one')
  for (const words of ['a', 'b', 'a', 'c']) pages.keep(words, same, words)
  expect(['a', 'b', 'c'].map((words) => pages.find(words, same))).toEqual(['a', null, 'c'])
})
