/** Places as people write them in forms. */
import { expect, test } from 'vitest'
import { ProductRules } from '../../pricing/pricing.schema.ts'
import { RfqRequest } from '../../rfq/rfq.schema.ts'
import { Fields, type FormSpec, formOf } from './form.tsx'
import { placeChoices, readPlace } from './region.ts'

test.each([
  ['California', 'CA-US'],
  ['Texas, USA', 'TX-US'],
  ['ON-CA', 'ON-CA'],
  ['US', 'US'],
  ['Deutschland', 'Germany'],
])('%s is understood as %s', (text, region) => {
  expect(readPlace(text)).toEqual({ region })
  expect(placeChoices(text)).toEqual([])
})

test.each(['Atlantis', '90210', 'California-Nevada', '-', '<b>'])(
  '%s is refused with what to write',
  (text) =>
    expect(readPlace(text)).toEqual({
      problem: 'Write a state or country, such as California, Ontario or Germany.',
    }),
)

const FORM: FormSpec = { delivery_region: { kind: 'region', label: 'Deliver to' } }
const ROWS: FormSpec = {
  delivery_regions: {
    kind: 'texts',
    label: 'Delivers to',
    parts: { value: { label: 'Place', kind: 'region' } },
  },
}

test('a text of two meanings is a question with both choices, and each choice is an answer', async () => {
  const parsed = formOf(FORM, RfqRequest.pick({ delivery_region: true })).safeParse({ delivery_region: 'ca' })
  const [issue] = parsed.error?.issues ?? []
  expect(issue).toMatchObject({
    path: ['delivery_region'],
    message: '“ca” can mean California, United States or Canada. Choose one.',
  })
  const state = { values: { delivery_region: 'ca' }, errors: { delivery_region: issue?.message ?? '' } }
  const html = String(await (<Fields of={FORM} state={state} />))
  expect(html).toContain('<option value="CA-US">California, United States</option>')
  expect(html).toContain('<option value="Canada">Canada</option>')
  expect(html).not.toContain('<input')
  for (const [choice] of placeChoices('ca').slice(1)) expect(readPlace(choice)).toEqual({ region: choice })
})

test('a row of a list asks in the same way', async () => {
  const form = { 'delivery_regions.0.value': 'Texas', 'delivery_regions.1.value': 'Georgia' }
  const [issue] =
    formOf(ROWS, ProductRules.pick({ delivery_regions: true })).safeParse(form).error?.issues ?? []
  expect(issue).toMatchObject({
    path: ['delivery_regions.1.value'],
    message: '“Georgia” can mean Georgia, United States or Georgia (country). Choose one.',
  })
  const state = { values: form, errors: { 'delivery_regions.1.value': issue?.message ?? '' } }
  const html = String(await (<Fields of={ROWS} state={state} />))
  expect(html).toMatch(/<select[^>]*name="delivery_regions.1.value"/)
  expect(html).toContain('<option value="GA-US">Georgia, United States</option><option value="GE">')
})
