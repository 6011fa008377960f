import { expect, test } from 'vitest'
import { OFFER_RULES } from '../../producers/issue-rules.offers.ts'
import { ORG_RULES, SUBMISSION_RULES } from '../../producers/issue-rules.org.ts'
import { PRODUCT_RULES } from '../../producers/issue-rules.products.ts'
import { KNOWN_RULES, remedyOf, whatIsWrong } from './issue-words.ts'

const RULES = { org: [...ORG_RULES, ...SUBMISSION_RULES], product: PRODUCT_RULES, offer: OFFER_RULES }
const ALL = Object.values(RULES).flat()

test('every rule there is has words and a link, and there are none for rules that are gone', () => {
  expect([...KNOWN_RULES].sort()).toEqual(ALL.map(({ id }) => id).sort())
})

test.each(ALL.map(({ id }) => id))('%s is put right in words for people, on a page of ours', (rule) => {
  const about = { rule, productSlug: 'lamps/glow', offerId: 'o-1' }
  const { fix, label, href } = remedyOf(about, false)
  expect(fix).toMatch(/^[A-Z].*\.$/)
  expect(`${fix} ${label}`).not.toMatch(/_|\/api\/|PATCH|POST|!/)
  expect(href).toMatch(
    /^\/(account|dashboard\/(agent|organization|products|(pricing|products)\/lamps\/glow|offers\/o-1))$/,
  )
  expect(remedyOf(about, true).href).toMatch(
    /^\/(account|dashboard\/.*(agent|organization|products|glow|change#field-\w+|o-1))$/,
  )
})

test('what is about an offer leads to the offer, and what is about a product never to another one', () => {
  for (const { id: rule } of RULES.offer)
    expect(remedyOf({ rule, productSlug: 'lamps/glow', offerId: 'o-1' }, true).href).toBe(
      '/dashboard/offers/o-1',
    )
  for (const { id: rule } of RULES.product)
    expect(remedyOf({ rule, productSlug: 'lamps/glow', offerId: null }, false).href).toMatch(
      /^\/dashboard\/(pricing|products)\/lamps\/glow$/,
    )
})

test('names of the interface in a message are said in words', () => {
  expect(whatIsWrong({ message: 'The claim (manufactured_by) has waited since 2026-11-01.' })).toBe(
    'Your claim that you make it has waited since November 1, 2026.',
  )
  expect(
    whatIsWrong({ message: 'It has no gtin or mpn, so agents cannot tell it from similar products.' }),
  ).toContain('no GTIN or part number')
})
