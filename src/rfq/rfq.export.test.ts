import { expect, test } from 'vitest'
import { signIn } from '../../test/accounts.ts'
import { createTestApp } from '../../test/harness.ts'
import { addProduct } from '../../test/products.ts'

test('the data a person downloads names what they asked sellers for, and nothing that others asked', async () => {
  const souk = await createTestApp()
  await addProduct(souk, { category: 'desk-lamps', slug: 'arc', title: 'Arc Lamp' })
  const [ada, eve] = [await signIn(souk, { verified: true }), await signIn(souk, { verified: true })]
  const asked = await ada.browser.post('/quotes', { product_slug: 'desk-lamps/arc', quantity: '12' })
  const exported = async (browser: typeof ada.browser) =>
    (await (await browser.get('/account/export')).json()) as { quote_requests: unknown[] }
  expect((await exported(ada.browser)).quote_requests).toEqual([
    {
      task_id: asked.headers.get('location')?.split('/').at(-1),
      rfq_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      state: 'submitted',
      product_slug: 'desk-lamps/arc',
      quantity: 12,
      delivery_region: null,
      deadline_iso: null,
      created_at: souk.clock.now().toISOString(),
      finished_at: null,
      chosen_quote_id: null,
      chosen_at: null,
      shares: [],
    },
  ])
  expect((await exported(eve.browser)).quote_requests).toEqual([])
})
