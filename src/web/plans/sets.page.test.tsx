/** The page that asks for a set: what was typed comes along, and nothing is spent by looking. */

import { expect, test } from 'vitest'
import { NO_FRONT } from '../../../test/listings.ts'
import { renderHomePage } from '../pages/home.tsx'
import { setsPath } from './address.ts'
import { renderSetsPage } from './sets.page.tsx'

const site = { baseUrl: 'https://souk.example', demo: false, stylesheet: '/assets/souk.0123.css' }

test('the way to sign in leads back to what was typed', () => {
  const path = setsPath('a desk & a chair, under $500')
  expect(new URL(path, site.baseUrl).searchParams.get('q')).toBe('a desk & a chair, under $500')
  const html = renderSetsPage({
    site,
    user: null,
    left: null,
    day: null,
    state: { values: { q: 'a desk & a chair, under $500' }, errors: {} },
  })
  expect(html).toContain(`href="/auth/signin?return_to=${encodeURIComponent(path)}"`)
})

test('examples are of what the demo catalog has, and are not shown over another', () => {
  const state = { values: {}, errors: {} }
  expect(renderSetsPage({ site, user: null, left: null, day: null, state })).not.toContain('Examples')
  expect(renderHomePage({ categories: [], site, day: null, front: NO_FRONT })).not.toContain(
    'Try searching for',
  )
  const demo = { ...site, demo: true }
  expect(renderSetsPage({ site: demo, user: null, left: null, day: null, state })).toContain('Examples')
  expect(renderHomePage({ categories: [], site: demo, day: null, front: NO_FRONT })).toContain(
    'Try searching for',
  )
})

test('what is wrong stands beside the field, with what was typed', () => {
  const html = renderSetsPage({
    site,
    user: null,
    left: null,
    day: null,
    state: { values: { q: 'a "desk"' }, errors: { q: 'Say more.' } },
  })
  expect(html).toContain('<p class="field-error" id="field-q-error">Say more.</p>')
  expect(html).toContain('value="a &quot;desk&quot;"')
})
