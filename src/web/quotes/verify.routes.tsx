/**
 * /verify-quote: whether a quote was really promised here. A post, because what is pasted can be longer than an address and
 * need not stand in a browser's history; a link may bring a signature along, and only fills the field. The page shows what
 * was signed and nothing else: what stands around a signature may have been changed. An expired promise is still verified.
 */
import type { Hono } from 'hono'
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import { productPath } from '../../catalog/profile.ts'
import { findNamedProduct } from '../../catalog/relationships.service.ts'
import type { HttpEnv } from '../../http/env.ts'
import { usd } from '../../lib/words.ts'
import { shownOrg } from '../../orgs/shown-org.ts'
import { type QuoteProof, signaturesIn, verifyQuote } from '../../rfq/quote-signature.ts'
import { Moment } from '../components/moment.tsx'
import type { PageDeps } from '../deps.ts'
import { countOf, formatCount } from '../format.ts'
import { Form, type FormState, Labelled } from '../kit/fields.tsx'
import { createPages, type PersonPage } from '../kit/person.tsx'
import { VERIFY_PATH } from './proof.tsx'

const MAX_KEPT = 64 * 1024
/** What is pasted grows up to threefold on its way, and a little is around it. */
const FORM_LIMIT = 4 * MAX_KEPT
/** More than fit into what may be pasted, if they are real. */
const MAX_CHECKED = 100

/** The form of a signature. */
const SIGNED = /^[\w-]+\.[\w-]+\.[\w-]+$/

const VerifyForm = z.object({
  quote: z
    .string()
    .default('')
    .refine((text) => text.trim() !== '', 'Paste a quote or its signature.')
    .refine(
      (text) => Buffer.byteLength(text) <= MAX_KEPT,
      'This is over 64 KB. Paste only the quotes, or a single signature.',
    )
    .transform((text, context) => {
      const signatures = signaturesIn(text)
      if (signatures.some((signature) => SIGNED.test(signature))) return signatures
      const message = 'We found no signature. Paste the whole quote as you received it, or its signature.'
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }),
})

type Checked = {
  proof: QuoteProof
  /** Null when it is no longer in the catalog. */
  product: { title: string; category: string; slug: string } | null
}

type Deps = Pick<PageDeps, 'site' | 'config' | 'rfq'>

export function mountVerifyQuote(app: Hono<HttpEnv>, { site, config, rfq }: Deps): void {
  const pages = createPages(app, { site, config }, async () => ({}))

  pages.page(VERIFY_PATH, ({ c }) => {
    const quote = c.req.query('quote')
    return verifyPage({ values: quote === undefined ? {} : { quote }, errors: {} })
  })

  pages.action(VERIFY_PATH, {
    ...{
      schema: VerifyForm,
      limit: FORM_LIMIT,
      page: ({ state }: { state: FormState }) => verifyPage(state),
    },
    async act({ input: { quote: signatures }, form }) {
      const [jwks, now] = [await rfq.signingKeys.published(), rfq.clock.now()]
      const proofs = signatures.slice(0, MAX_CHECKED).map((signature) => verifyQuote(signature, jwks, now))
      const checked = await Promise.all(
        proofs.map(async (proof) => ({
          proof,
          product: proof.ok ? await findNamedProduct(rfq, proof.promise.product_slug) : null,
        })),
      )
      return verifyPage({ values: form, errors: {} }, checked, signatures.length - checked.length)
    },
  })
}

/** `left` is how many more signatures there were. */
function verifyPage(state: FormState, checked: Checked[] = [], left = 0): PersonPage {
  return {
    title: 'Check a quote',
    lead: 'We sign every quote. Paste one to see if it is genuine and what the seller promised.',
    body: [
      checked.length > 0 && (
        <section class="verdicts" aria-labelledby="verdicts-title">
          <div role="status">
            <h2 id="verdicts-title">{verdictWords(checked)}</h2>
          </div>
          {left > 0 && <p>{countOf(left, 'more signature')} left out. Check them separately.</p>}
          {checked.map((quote, index) => (
            <Verdict {...quote} number={checked.length === 1 ? null : index + 1} />
          ))}
        </section>
      ),
      <Form action={VERIFY_PATH} label="Check quote">
        <Labelled
          state={state}
          name="quote"
          label="Quote"
          hint="The signature, the quote as JSON, or a whole answer with quotes in it."
        >
          {(control) => (
            <textarea
              class="kept"
              rows={6}
              required
              spellcheck={false}
              autocomplete="off"
              autocapitalize="none"
              {...control}
            >
              {/* A browser drops a line break at the beginning: this one is for it to drop. */}
              {`\n${state.values.quote ?? ''}`}
            </textarea>
          )}
        </Labelled>
      </Form>,
      <section class="account-part" aria-labelledby="elsewhere-title">
        <h2 id="elsewhere-title">Check it yourself</h2>
        <p>
          Our keys are at <a href="/.well-known/jwks.json">/.well-known/jwks.json</a>. Any JOSE library can
          check a signature with them (Ed25519). Replaced keys stay there.
        </p>
        <p>
          With a copy of Souk, run <code>npm run souk -- verify-quote quote.json --jwks jwks.json</code> to
          check it offline.
        </p>
      </section>,
    ],
  }
}

function verdictWords(checked: Checked[]): string {
  const verified = checked.filter(({ proof }) => proof.ok).length
  if (checked.length > 1) return `${formatCount(verified)} of ${countOf(checked.length, 'quote')} verified`
  return verified === 1 ? 'This quote is genuine' : "We can't verify this quote"
}

function Verdict({ proof, product, number }: Checked & { number: number | null }) {
  return (
    <div class="verdict">
      {number !== null && (
        <h3>
          Quote {number}: {proof.ok ? 'verified' : 'not verified'}
        </h3>
      )}
      {proof.ok ? (
        <>
          <p class="verified">
            The seller made this promise on Souk.{' '}
            {proof.expired ? 'The offer has since expired.' : 'The offer is still valid.'}
          </p>
          <Promised proof={proof} product={product} />
        </>
      ) : (
        <>
          <p class="failed">{proof.message}</p>
          <p>Don't rely on it. Ask the person who gave it to you for the whole original quote.</p>
        </>
      )}
    </div>
  )
}

function Promised({ proof, product }: { proof: QuoteProof & { ok: true }; product: Checked['product'] }) {
  const { promise, kid } = proof
  const shipping = promise.shipping_cost_usd === undefined ? ', shipping not stated' : ' with shipping'
  const rows: Array<[string, Child]> = [
    [
      'Product',
      product ? (
        <a href={productPath({ slug: product.slug, category: { slug: product.category } })}>
          {product.title}
        </a>
      ) : (
        promise.product_slug
      ),
    ],
    ['Seller', shownOrg(promise.org)],
    ['Price', `${usd(promise.price_usd)} each`],
    ['Quantity', formatCount(promise.quantity)],
    ...(promise.variant === undefined ? [] : [['Variant', promise.variant] satisfies [string, Child]]),
    ['Total', `${usd(promise.total_usd)}${shipping}`],
    ['Issued', <When iso={promise.issued_at} />],
    ['Expires', <When iso={promise.offer_expires_at} />],
    ['Issued by', promise.issuer],
    ['Key', <code>{kid}</code>],
  ]
  if (promise.terms !== undefined) rows.splice(-2, 0, ['Seller’s words', promise.terms])
  return (
    <table class="specs">
      <caption class="hidden">What {shownOrg(promise.org)} promised</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function When({ iso }: { iso: string }) {
  const at = new Date(iso)
  return Number.isNaN(at.getTime()) ? <span>{iso}</span> : <Moment at={at} />
}
