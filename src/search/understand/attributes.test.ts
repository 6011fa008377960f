import { expect, it } from 'vitest'
import { createNameTable } from './names.ts'
import { understand, type Vocabulary } from './understand.ts'

const VOCABULARY: Vocabulary = {
  brands: createNameTable(['Norrlund']),
  models: createNameTable(['kx-4410']),
  categories: [
    { slug: 'strollers', label: 'Strollers', words: ['pram'] },
    { slug: 'robot-vacuums', label: 'Robot Vacuums', words: ['cleaner'] },
  ],
  documentShare: (word) => (word.startsWith('zorb') ? 0 : 0.01),
}

function attributesOf(query: string) {
  return understand(query, VOCABULARY).attributes.map(
    ({ words, denied }) => `${denied ? 'no ' : ''}${words.join(' ')}`,
  )
}

it.each([
  ['quiet stroller', ['quiet']],
  ['quiet, foldable and waterproof stroller', ['quiet', 'foldable', 'waterproof']],
  ['stroller foldable waterproof', ['foldable', 'waterproof']],
  ['stroller, foldable, machine washable', ['foldable', 'machine washable']],
  ['noise-cancelling high speed robot vacuum', ['noise-cancelling', 'high speed']],
  ['lightweight 2 person norrlund stroller', ['lightweight']],
  ['stroller that is waterproof and easy to fold', ['waterproof']],
  ['stroller with a removable lid', ['removable lid']],
  ['pans that must work on induction', ['induction']],
  ['stroller with lid and handle', ['lid', 'handle']],
  ['stroller with a built in pump', ['pump']],
  ['something with a lid', ['lid']],
  ['robot vacuum without an app', ['no app']],
  ['stroller that does not tip', ['no tip']],
  ['latex-free stroller without wheels or straps', ['no latex', 'no wheels', 'no straps']],
])('%s → %j', (query, attributes) => {
  expect(attributesOf(query)).toEqual(attributes)
})

it.each([
  ['the kind', 'robot vacuum'],
  ['a maker or a model', 'norrlund kx-4410 stroller'],
  ['money and sizes', 'cheap 2 person stroller under $90'],
  ['an opinion', 'best nice stroller please'],
  ['a word that no product uses', 'zorbable stroller'],
  ['whom it is for', 'stroller for someone with arthritis'],
  ['another thing', 'vacuum and stroller'],
  ['something to avoid', 'stroller, not too heavy'],
])('%s is no attribute', (_, query) => {
  expect(attributesOf(query)).toEqual([])
})
