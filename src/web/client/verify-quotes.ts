/**
 * The script of a page with shared quotes. It checks in the reader's browser what the page claims: that each signature is
 * by a published key, that the page shows what was signed, and that the order follows the rule. Without it, or where the
 * browser has no Ed25519, each quote has a form that checks it on a page of the service. Only its types are stripped, so it
 * imports nothing; the words that it compares with are those of the page.
 */

/** What a signature of a shared quote covers, as far as it is checked here. */
type Signed = {
  rank: number
  org: { name: string; org_type: string; verified: boolean; domain?: string | null }
  price_usd: number
  total_usd: number
  in_stock: boolean
  offer_expires_at: string
  shipping_cost_usd?: number
  list_price_usd?: number
  estimated_shipping_days?: number
  issued_at: string
  rfq_id: string
  product_slug: string
  quantity: number
  variant?: string
}
type Key = { kid?: string; kty?: string; crv?: string; x?: string }

const KEYS_PATH = '/.well-known/jwks.json'
const TYP = 'souk-quote+jws'
const ED25519 = 'Ed25519'

/** Its message is for the reader. */
class Mismatch extends Error {}

function decode(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]+$/.test(text)) throw new Mismatch('this is not a signature')
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
}

function readJson(text: string): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(decode(text)))
}

/** What was signed, if it was. */
async function verify(jws: string, keys: readonly Key[]): Promise<Signed> {
  const [header = '', payload = '', signature = '', ...rest] = jws.trim().split('.')
  if (rest.length > 0) throw new Mismatch('this is not a signature')
  const { alg, typ, kid } = readJson(header) as { alg?: string; typ?: string; kid?: string }
  if (alg !== 'EdDSA' || typ !== TYP) throw new Mismatch('this is not the signature of a quote')
  const key = keys.find((one) => one.kid === kid && one.kty === 'OKP' && one.crv === ED25519)
  if (!key) throw new Mismatch('it is signed with a key that is not published')
  const { kty, crv, x } = key
  const imported = await crypto.subtle.importKey('jwk', { kty, crv, x }, ED25519, false, ['verify'])
  const said = new TextEncoder().encode(`${header}.${payload}`)
  if (!(await crypto.subtle.verify(ED25519, imported, decode(signature), said)))
    throw new Mismatch('the signature does not fit: the quote was changed')
  return readJson(payload) as Signed
}

function usd(dollars: number): string {
  const cents = Math.round(dollars * 100)
  const digits = cents % 100 === 0 ? 0 : 2
  return `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`
}

function moment(iso: string): string {
  const at = new Date(iso)
  const day = at.toLocaleDateString('en-US', {
    ...{ year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' },
  })
  return `${day}, ${at.toISOString().slice(11, 16)} UTC`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function delivery(days: number | undefined): string {
  if (days === undefined) return 'Not stated'
  if (days === 0) return 'Same business day'
  return `In ${days.toLocaleString('en-US')} business day${days === 1 ? '' : 's'}`
}

/** What the page must say of a quote, by the name of the place where it says it; null where it must say nothing. */
function wordsOf(quote: Signed): Record<string, string | null> {
  const { org, shipping_cost_usd: shipping, list_price_usd: list } = quote
  const proved = org.domain ? `${org.domain}, verified` : 'verified'
  return {
    rank: `${quote.rank}.`,
    seller: org.name,
    kind: capital(org.org_type),
    standing: org.verified ? proved : 'not verified',
    price: usd(quote.price_usd),
    'list price': list !== undefined && list > quote.price_usd ? usd(list) : null,
    total: usd(quote.total_usd) + (shipping === undefined ? ' + shipping' : ''),
    shipping: shipping === undefined ? 'Not stated' : shipping === 0 ? 'Free' : usd(shipping),
    delivery: delivery(quote.estimated_shipping_days),
    stock: quote.in_stock ? 'In stock' : 'Out of stock',
    expiry: moment(quote.offer_expires_at),
  }
}

/** And of the request. */
function requestWordsOf(signed: Signed): Record<string, string | null> {
  const { quantity, rfq_id, issued_at, product_slug, variant = null } = signed
  return {
    variant,
    quantity: quantity.toLocaleString('en-US'),
    request: rfq_id,
    time: moment(issued_at),
    product: `/p/${product_slug}`,
  }
}

function shownIn(within: Element | Document, name: string): string | null {
  const place = within.querySelector(`[data-signed="${name}"]`)
  if (!place) return null
  return (place.getAttribute('href') ?? place.textContent ?? '').trim()
}

/** Names are shown as one short line without what hides text, so their letters are compared, as far as they are shown. */
function isSameName(shown: string, signed: string): boolean {
  const letters = (text: string) => text.normalize('NFC').replace(/[^\p{L}\p{N}]/gu, '')
  if (shown === 'Unnamed') return letters(signed) === ''
  return shown.endsWith('…') ? letters(signed).startsWith(letters(shown)) : letters(signed) === letters(shown)
}

function requireShown(within: Element | Document, words: Record<string, string | null>): void {
  for (const [name, signed] of Object.entries(words)) {
    const shown = shownIn(within, name)
    const same = name === 'seller' ? shown !== null && isSameName(shown, signed ?? '') : shown === signed
    if (!same) throw new Mismatch(`the ${name} on this page is not what was signed`)
  }
}

/** Smaller first, by the rule. `most`: the business days within which a delivery meets the buyer's date. */
function measures(quote: Signed, most: number): number[] {
  const days = quote.estimated_shipping_days ?? Number.POSITIVE_INFINITY
  return [
    quote.in_stock ? 0 : 1,
    days <= most ? 0 : 1,
    quote.shipping_cost_usd === undefined ? 1 : 0,
    Math.round(quote.total_usd * 100),
    days,
  ]
}

function isInOrder(quotes: readonly Signed[], most: number): boolean {
  return quotes.slice(1).every((quote, at) => {
    const [above, below] = [measures(quotes[at] as Signed, most), measures(quote, most)]
    const decides = above.findIndex((value, index) => value !== below[index])
    return decides < 0 || (above[decides] ?? 0) < (below[decides] ?? 0)
  })
}

/**
 * The buyer's date is not shared, but whatever it was, it divides deliveries by their days: the order is by the rule if it is
 * so for some number of days. What decides between quotes that are equal in all this is not shared either.
 */
function followsRule(quotes: readonly Signed[]): boolean {
  const days = quotes.map(({ estimated_shipping_days: days }) => days ?? Number.POSITIVE_INFINITY)
  return [-1, ...days].some((most) => isInOrder(quotes, most))
}

async function checkCard(card: Element, at: number, keys: readonly Key[]): Promise<Signed | null> {
  const verdict = card.querySelector<HTMLElement>('[data-verdict]')
  if (!verdict) return null
  const say = (words: string, good: boolean) => {
    verdict.textContent = words
    verdict.className = good ? 'verified' : 'failed'
    verdict.hidden = false
  }
  try {
    const signed = await verify(card.querySelector('code')?.textContent ?? '', keys)
    requireShown(card, wordsOf(signed))
    requireShown(document, requestWordsOf(signed))
    if (signed.rank !== at + 1) throw new Mismatch('its place is not the one that was signed')
    say('Verified', true)
    return signed
  } catch (error) {
    say(`Does not match: ${error instanceof Mismatch ? error.message : 'this is not a signed quote'}.`, false)
    return null
  }
}

async function checkAll(result: HTMLElement): Promise<void> {
  const response = await fetch(KEYS_PATH)
  const { keys } = (await response.json()) as { keys: Key[] }
  const cards = [...document.querySelectorAll('[data-quote]')]
  const checked = await Promise.all(cards.map((card, at) => checkCard(card, at, keys)))
  const verified = checked.filter((one) => one !== null)
  const count = `${verified.length} of ${cards.length} ${cards.length === 1 ? 'quote' : 'quotes'} verified.`
  const all = verified.length === cards.length
  const fair = all && followsRule(verified)
  const order = fair ? 'The order follows the rule.' : 'The order does not follow the rule.'
  result.textContent = all ? `${count} ${order}` : `${count} Do not rely on this page.`
  result.className = fair ? 'verified' : 'failed'
}

/** Browsers without Ed25519 refuse the name. */
async function hasEd25519(): Promise<boolean> {
  try {
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
    await crypto.subtle.importKey('jwk', { kty: 'OKP', crv: ED25519, x }, ED25519, false, ['verify'])
    return true
  } catch {
    return false
  }
}

const button = document.querySelector<HTMLButtonElement>('button[data-verify]')
const result = document.querySelector<HTMLElement>('[data-verify-result]')
if (button && result && (await hasEd25519())) {
  button.hidden = false
  button.addEventListener('click', () => {
    button.disabled = true
    checkAll(result)
      .catch(() => {
        result.textContent = 'The keys could not be loaded. Try again in a moment.'
        result.className = 'failed'
      })
      .finally(() => {
        button.disabled = false
      })
  })
}

export {}
