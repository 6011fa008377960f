/**
 * What to do about each kind of issue, for people: the services' own words name tools, and a page leads to the page that
 * does it. A rule that is not here is a mistake that a test finds.
 */
import type { Severity } from '../../producers/issue-rule.ts'
import type { Issue } from '../../producers/issues.ts'
import { formatDate } from '../format.ts'
import type { Tone } from '../kit/parts.tsx'
import {
  AGENT_PATH,
  claimPath,
  newOfferFor,
  ORGANIZATION_PATH,
  offerPath,
  PRICING_PATH,
  PRODUCTS_PATH,
} from './paths.ts'

type Remedy = { fix: string; href: string; label: string }

export const SEVERITY_WORDS: Record<Severity, { one: string; many: string; means: string; tone: Tone }> = {
  critical: {
    one: 'Critical',
    many: 'Critical',
    means: 'You cannot sell until you fix this.',
    tone: 'bad',
  },
  error: { one: 'Error', many: 'Errors', means: 'Something is not shown, or not quoted.', tone: 'bad' },
  warning: {
    one: 'Warning',
    many: 'Warnings',
    means: 'It is shown, but does harm or will soon.',
    tone: 'mixed',
  },
  suggestion: {
    one: 'Suggestion',
    many: 'Suggestions',
    means: 'It works; this would sell better.',
    tone: 'quiet',
  },
}

type Words = {
  fix: string
  at: 'product' | 'pricing' | 'offer' | 'claim' | 'new offer' | Change | Place
  label: string
}
/** The field of the product's change form. */
type Change = `change#${string}`
type Place = '/account' | typeof AGENT_PATH | typeof ORGANIZATION_PATH | typeof PRODUCTS_PATH

const PROVE = 'An owner or admin proves it with a DNS record or a file on your site; the page says which.'

const WORDS: Record<string, Words> = {
  organization_deactivated: {
    fix: 'Write to the operator of this service and ask for it to be activated.',
    at: ORGANIZATION_PATH,
    label: 'See your organization',
  },
  agent_circuit_open: {
    fix: 'Repair your agent and test it; or let Souk answer for you by your pricing rules.',
    at: AGENT_PATH,
    label: 'Look at your agent',
  },
  domain_missing: {
    fix: `Add the domain of your site. ${PROVE}`,
    at: ORGANIZATION_PATH,
    label: 'Add your domain',
  },
  domain_unverified: { fix: PROVE, at: ORGANIZATION_PATH, label: 'Prove your domain' },
  no_rfq_answer: {
    fix: 'Let Souk quote by your pricing rules, or register an agent of your own.',
    at: AGENT_PATH,
    label: 'Choose who answers',
  },
  agent_unreachable: {
    fix: 'See what was wrong with its last answers, then test it.',
    at: AGENT_PATH,
    label: 'Look at your agent',
  },
  no_products: {
    fix: 'Claim the products you make or sell. Propose or import those that the catalog does not have.',
    at: PRODUCTS_PATH,
    label: 'Add products',
  },
  email_unverified: {
    fix: 'Open the link in the mail we sent, or have it sent again.',
    at: '/account',
    label: 'Confirm your address',
  },
  agent_untested: { fix: 'Send it a test request.', at: AGENT_PATH, label: 'Test your agent' },
  submission_rejected: {
    fix: 'Propose it again with what the reviewer asked for; if the catalog has it already, claim it.',
    at: PRODUCTS_PATH,
    label: 'See your proposals',
  },
  limits_lost: {
    fix: 'An owner or admin sets its lowest price and margin again, or clears them.',
    at: 'pricing',
    label: 'Set its limits',
  },
  claim_without_evidence: {
    fix: 'Add the address of a page that shows it, or prove the domain that the catalog names.',
    at: 'claim',
    label: 'Add evidence',
  },
  discontinued_with_offer: {
    fix: 'End its offers; or, if it is still made, propose that the profile says so.',
    at: 'product',
    label: 'See the product',
  },
  no_quote_possible: {
    fix: 'Give it an offer that is shown, with a price and an https address; the pricing page shows what a buyer is quoted.',
    at: 'new offer',
    label: 'Give it a price',
  },
  quoted_out_of_stock: {
    fix: 'Once it is there again, an owner or admin says so in its pricing rules.',
    at: 'pricing',
    label: 'Change its rules',
  },
  claim_waiting: {
    fix: 'Add better evidence, or write to the operator of this service.',
    at: 'claim',
    label: 'See the claim',
  },
  enrichment_rejected: {
    fix: 'Read the note, then propose it again without what was objected to.',
    at: 'change#title',
    label: 'See the proposal',
  },
  profile_not_yours: {
    fix: 'Propose your own description, specs and images.',
    at: 'change#description',
    label: 'Improve the profile',
  },
  image_missing: {
    fix: 'Propose one that shows the whole product.',
    at: 'change#images',
    label: 'Add an image',
  },
  description_missing: {
    fix: 'Say in a few sentences what it is and whom it suits.',
    at: 'change#description',
    label: 'Add a description',
  },
  identifier_missing: {
    fix: 'Add its GTIN (the number of the bar code) or your part number.',
    at: 'change#gtin',
    label: 'Add an identifier',
  },
  price_missing: {
    fix: 'Propose a price for the profile, or make an offer with one.',
    at: 'change#price_low',
    label: 'Add a price',
  },
  specs_few: {
    fix: 'Add names and values that buyers compare by; five are a good start.',
    at: 'change#specs',
    label: 'Add specs',
  },
  brand_domain_missing: {
    fix: "Ask the operator of this service to add it; then the brand's claims are proved by themselves.",
    at: 'product',
    label: 'See the product',
  },
  enrichment_waiting: {
    fix: 'You need do nothing. If it is urgent, write to the operator of this service.',
    at: 'product',
    label: 'See what waits',
  },
  no_live_offer: { fix: 'Make an offer and activate it.', at: 'new offer', label: 'Make an offer' },
  offer_above_list_price: {
    fix: 'Lower the price, or correct the list price.',
    at: 'offer',
    label: 'Correct the price',
  },
  offer_expired: { fix: 'Give it a later end, or end it.', at: 'offer', label: 'Open the offer' },
  offer_expires_soon: {
    fix: 'Give it a later end, if it is to go on.',
    at: 'offer',
    label: 'Open the offer',
  },
  offer_not_https: {
    fix: 'Give it an address that begins with https://.',
    at: 'offer',
    label: 'Correct the address',
  },
  offer_price_far_from_profile: {
    fix: 'Correct the price of the offer; if the profile is wrong, propose the right price there.',
    at: 'offer',
    label: 'Check the price',
  },
  offer_without_price: {
    fix: 'Say what it costs; buyers compare by that.',
    at: 'offer',
    label: 'Add a price',
  },
  offer_left_draft: { fix: 'Activate it to show it, or end it.', at: 'offer', label: 'Open the offer' },
}

export const KNOWN_RULES: ReadonlySet<string> = new Set(Object.keys(WORDS))

/** A rule without words still leads to what it is about. */
const UNKNOWN: Words = { fix: 'Look at it and correct it.', at: 'product', label: 'Open it' }

type About = Pick<Issue, 'rule' | 'productSlug' | 'offerId'>

/** Whoever may change things is led to the form that does it, others to what it is about. */
export function remedyOf(issue: About, mayEdit: boolean): Remedy {
  const { fix, at, label } = WORDS[issue.rule] ?? UNKNOWN
  const { href, reads } = placeOf(at, issue)
  return mayEdit || reads === undefined
    ? { fix, label, href }
    : { fix, label: 'See the product', href: reads }
}

/** `reads` where the form itself is not for everybody. */
function placeOf(at: Words['at'], { productSlug, offerId }: About): { href: string; reads?: string } {
  if (at.startsWith('/')) return { href: at }
  if (at === 'offer' && offerId !== null) return { href: offerPath(offerId) }
  const subject = at === 'pricing' ? PRICING_PATH : PRODUCTS_PATH
  if (productSlug === null) return { href: subject }
  const reads = `${subject}/${productSlug}`
  if (at === 'claim') return { href: claimPath(productSlug), reads }
  if (at === 'new offer') return { href: newOfferFor(productSlug), reads }
  const [, field] = at.split('change#')
  return field === undefined ? { href: reads } : { href: `${reads}/change#field-${field}`, reads }
}

const TYPES: Record<string, string> = {
  sells: 'that you sell it',
  manufactured_by: 'that you make it',
}

/** The services' words for what is wrong, where a name of theirs stands in them said for people. */
export function whatIsWrong({ message }: Pick<Issue, 'message'>): string {
  return message
    .replace(/The claim \((\w+)\)/, (all, type: string) => (TYPES[type] ? `Your claim ${TYPES[type]}` : all))
    .replace('no gtin or mpn', 'no GTIN or part number')
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, (day) => formatDate(day) ?? day)
}
