import { expect, it } from 'vitest'
import { demoProducts } from '../../../test/e2e/search.world.ts'
import { EMPTY_FACTS } from '../../catalog/catalog.schema.ts'
import { createCatalogIndex } from '../catalog-index.ts'
import { attributeVerdicts } from './attributes.ts'

const [template] = demoProducts().products
if (!template) throw new Error('the demo catalog is empty')

const FACTS = [
  { title: 'Quiet Fan', specs: [] },
  { title: 'Fan', specs: [{ name: 'Motor', value: 'Silent, folding stand' }] },
  { title: 'Fan', specs: [{ name: 'Foldable', value: 'No' }] },
  { title: 'Wireless Fan', specs: [{ name: 'Wireless charging', value: 'None' }] },
  { title: 'Fan', specs: [{ name: 'Wireless', value: 'false' }] },
  { title: 'Fan', specs: [], bestFor: ['Wireless offices that want it quiet'] },
]
const index = createCatalogIndex(16)
for (const [at, facts] of FACTS.entries())
  index.put({ ...template, ...EMPTY_FACTS, ...facts, id: `p${at}`, slug: `p${at}` }, null)

it.each([
  ['quiet', 'said said silent silent silent said'],
  ['quietest', 'said said silent silent silent said'],
  ['foldable', 'silent said denied silent silent silent'],
  ['wireless', 'silent silent silent said denied said'],
  ['quiet wireless', 'silent silent silent silent denied said'],
  ['', 'silent silent silent silent silent silent'],
])('%s: %s', (words, expected) => {
  const slots = Uint32Array.from(FACTS.keys())
  expect(attributeVerdicts(index, words.split(' ').filter(Boolean), slots).join(' ')).toBe(expected)
})
