/** The parts of the page of results that the routes show rarely: nothing found, a plan still to come, a refusal. */
import { expect, test } from 'vitest'
import { demoProducts } from '../../../test/e2e/search.world.ts'
import { resultsOf } from '../../../test/results.ts'
import { renderPlanPart, renderResultsPage } from './results.page.tsx'

const site = { baseUrl: 'https://souk.example', demo: false, stylesheet: '/assets/souk.0123.css' }
const HOSTILE = '"><img src=x onerror=alert(1)><!--hole-->'
const [profile] = demoProducts().products
if (!profile) throw new Error('no product')
const found = resultsOf(profile, HOSTILE)

test('a page that waits for its plan has one place for it, which no words can take', () => {
  const html = renderResultsPage({ site, ...found, plan: { kind: 'planning' } })
  expect(html.match(/<!--hole-->/g)).toHaveLength(1)
  const at = html.indexOf('<!--hole-->')
  expect(at).toBeGreaterThan(html.indexOf('<div class="found">'))
  expect(html.indexOf('shadowrootmode="open"')).toBeLessThan(html.indexOf('Planning your bundle'))
  for (const kind of ['none', 'sign_in', 'offered'] as const)
    expect(renderResultsPage({ site, ...found, plan: { kind } })).not.toContain('<!--hole-->')
})

test('what comes later names its place, even when there is nothing to say', () => {
  expect(renderPlanPart({ kind: 'none' }, found.address)).toBe('<div class="plan-part" slot="plan"></div>')
  const refused = renderPlanPart({ kind: 'refused', text: HOSTILE }, found.address)
  expect(refused).toMatch(/^<div class="plan-part" slot="plan"><p class="aside" role="status">&quot;&gt;/)
})

test('without results the words stay text, and each filter and demand has its way out', () => {
  const { products: nearest } = found.results
  const results = { ...found.results, products: [], nearest, note: HOSTILE, total: 0, pages: 1 }
  const html = renderResultsPage({ site, ...found, results, plan: { kind: 'refused', text: HOSTILE } })
  expect(html).not.toMatch(/<img src=x|<!--hole/)
  expect(html.match(/>Remove filter </g)).toHaveLength(3)
  expect(html.match(/>Remove (?:filter )?</g)).toHaveLength(4)
  expect(html.match(/Not a match/g)).toHaveLength(1)
})
