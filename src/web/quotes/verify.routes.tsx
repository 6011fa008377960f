/**
 * Whether a quote was really promised here. A post, because what is pasted can be longer than an address and need not stand
 * in anybody's history; a link may bring a signature along, and only fills the field.
 */
import type { Hono } from 'hono'
import { z } from 'zod'
import { findNamedProduct } from '../../catalog/relationships.service.ts'
import type { HttpEnv } from '../../http/env.ts'
import { readForm } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import type { RfqContext } from '../../rfq/context.ts'
import { type QuoteProof, signaturesIn, verifyQuote } from '../../rfq/quote-signature.ts'
import { answerForm } from '../kit/answer-form.ts'
import { UNTOUCHED } from '../kit/fields.tsx'
import { sendPage } from '../page.http.ts'
import type { Site } from '../site.ts'
import { VERIFY_PATH } from './quote-card.tsx'
import { type CheckedQuote, renderVerifyPage } from './verify.page.tsx'

const MAX_KEPT = 64 * 1024
/** What is pasted grows up to threefold on its way, and a little is around it. */
const FORM_LIMIT = 4 * MAX_KEPT
/** More than fit into what may be pasted, if they are real. */
const MAX_CHECKED = 100

/** The form of a signature; words of another kind were not meant as one. */
const SIGNED = /^[\w-]+\.[\w-]+\.[\w-]+$/

const VerifyForm = z.object({
  quote: z
    .string()
    .default('')
    .refine((text) => text.trim() !== '', 'Paste a quote, or its signature.')
    .refine(
      (text) => Buffer.byteLength(text) <= MAX_KEPT,
      'This is over 64 KB. Paste only the quotes, or one signature.',
    )
    .transform((text, context) => {
      const signatures = signaturesIn(text)
      if (signatures.some((one) => SIGNED.test(one))) return signatures
      const message = 'There is no signature in this. Paste the whole quote as you got it, or its signature.'
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }),
})

export function mountVerifyQuote(app: Hono<HttpEnv>, { site, rfq }: { site: Site; rfq: RfqContext }): void {
  app.get(VERIFY_PATH, (c) => {
    const quote = c.req.query('quote')
    const state = quote === undefined ? UNTOUCHED : { values: { quote }, errors: {} }
    return sendPage(c, renderVerifyPage({ site, state, checked: [], left: 0 }))
  })

  app.post(VERIFY_PATH, async (c) => {
    requireSameOrigin(c, rfq.config.baseUrl)
    const form = await readForm(c, FORM_LIMIT)
    return answerForm(c, form, {
      schema: VerifyForm,
      render: (state) => renderVerifyPage({ site, state, checked: [], left: 0 }),
      act: async ({ quote: signatures }) => {
        const [jwks, now] = [await rfq.signingKeys.published(), rfq.clock.now()]
        const proofs = signatures.slice(0, MAX_CHECKED).map((one) => verifyQuote(one, jwks, now))
        const checked = await Promise.all(proofs.map(withTitle))
        const left = signatures.length - checked.length
        return sendPage(c, renderVerifyPage({ site, state: { values: form, errors: {} }, checked, left }))
      },
    })
  })

  /** The promise names the product by its address; people know it by its title, while it is there. */
  async function withTitle(proof: QuoteProof): Promise<CheckedQuote> {
    const product = proof.ok ? await findNamedProduct(rfq, proof.promise.product_slug) : null
    return {
      proof,
      product: product && { title: product.title, category: product.category, slug: product.slug },
    }
  }
}
