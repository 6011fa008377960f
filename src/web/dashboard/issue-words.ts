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

type SeverityWords = { one: string; many: string; means: string; tone: Tone }
const severity = (one: string, many: string, means: string, tone: Tone): SeverityWords => ({
  ...{ one, many, means, tone },
})

export const SEVERITY_WORDS: Record<Severity, SeverityWords> = {
  critical: severity('Critical', 'Critical', 'You cannot sell until you fix this.', 'bad'),
  error: severity('Error', 'Errors', 'Buyers do not see or get something.', 'bad'),
  warning: severity('Warning', 'Warnings', 'It works, but costs you sales now or soon.', 'mixed'),
  suggestion: severity('Suggestion', 'Suggestions', 'It works. This would sell better.', 'quiet'),
}

/** Where a fix is made: a page, or a form of what the issue is about (`change#` names its field). */
type At = 'product' | 'pricing' | 'offer' | 'claim' | 'new offer' | `change#${string}` | Place
type Place = '/account' | typeof AGENT_PATH | typeof ORGANIZATION_PATH | typeof PRODUCTS_PATH
type Words = readonly [at: At, label: string, fix: string]

const VERIFY = 'An owner or admin verifies it with a DNS record or a file on your site.'
const OPERATOR = 'the operator of this service'

const WORDS: Record<string, Words> = {
  organization_deactivated: [ORGANIZATION_PATH, 'See your organization', `Ask ${OPERATOR} to activate it.`],
  agent_circuit_open: [
    AGENT_PATH,
    'Check your agent',
    'Fix your agent and test it, or let Souk answer with your pricing rules.',
  ],
  domain_missing: [ORGANIZATION_PATH, 'Add your domain', `Add the domain of your site. ${VERIFY}`],
  domain_unverified: [ORGANIZATION_PATH, 'Verify your domain', VERIFY],
  no_rfq_answer: [
    AGENT_PATH,
    'Choose who answers',
    'Let Souk quote with your pricing rules, or connect your own agent.',
  ],
  agent_unreachable: [
    AGENT_PATH,
    'Check your agent',
    'See what was wrong with its last answers, then test it.',
  ],
  no_products: [
    PRODUCTS_PATH,
    'Add products',
    'Claim the products you make or sell. Propose or import the ones the catalog does not have.',
  ],
  email_unverified: ['/account', 'Verify your email', 'Open the link we emailed you, or ask for a new one.'],
  agent_untested: [AGENT_PATH, 'Test your agent', 'Send it a test request.'],
  submission_rejected: [
    PRODUCTS_PATH,
    'See your proposals',
    'Fix what the reviewer asked for and propose it again. If the catalog already has it, claim it.',
  ],
  limits_lost: [
    'pricing',
    'Set its limits',
    'An owner or admin sets its lowest price and margin again, or clears them.',
  ],
  claim_without_evidence: [
    'claim',
    'Add evidence',
    'Add the URL of a page that shows it, or verify the domain that the catalog names.',
  ],
  discontinued_with_offer: [
    'product',
    'See the product',
    'End its offers. If it is still made, propose a change to the profile.',
  ],
  no_quote_possible: [
    'new offer',
    'Set a price',
    'Publish an offer with a price and an https URL. The pricing page shows what buyers are quoted.',
  ],
  quoted_out_of_stock: [
    'pricing',
    'Change its rules',
    'When it is back in stock, an owner or admin says so in its pricing rules.',
  ],
  claim_waiting: ['claim', 'See the claim', `Add better evidence, or contact ${OPERATOR}.`],
  enrichment_rejected: [
    'change#title',
    'See the proposal',
    'Read the note, fix what it says, and propose it again.',
  ],
  profile_not_yours: [
    'change#description',
    'Improve the profile',
    'Propose your own description, specs and images.',
  ],
  image_missing: ['change#images', 'Add an image', 'Propose one that shows the whole product.'],
  description_missing: [
    'change#description',
    'Add a description',
    'Say in a few sentences what it is and who it is for.',
  ],
  identifier_missing: [
    'change#gtin',
    'Add an identifier',
    'Add its GTIN (the bar code number) or your part number.',
  ],
  price_missing: [
    'change#price_low',
    'Add a price',
    'Propose a price for the profile, or create an offer with one.',
  ],
  specs_few: ['change#specs', 'Add specs', 'Add the facts that buyers compare. Five are a good start.'],
  brand_domain_missing: [
    'product',
    'See the product',
    `Ask ${OPERATOR} to add it. Then claims of the brand verify themselves.`,
  ],
  enrichment_waiting: ['product', 'See the proposal', `Nothing to do. If it is urgent, contact ${OPERATOR}.`],
  no_live_offer: ['new offer', 'Create an offer', 'Create an offer and publish it.'],
  offer_above_list_price: ['offer', 'Fix the price', 'Lower the price, or correct the list price.'],
  offer_expired: ['offer', 'Open the offer', 'Give it a later end, or end it.'],
  offer_expires_soon: ['offer', 'Open the offer', 'Give it a later end to keep it live.'],
  offer_not_https: ['offer', 'Fix the URL', 'Use a URL that begins with https://.'],
  offer_price_far_from_profile: [
    'offer',
    'Check the price',
    'Correct the price of the offer. If the profile is wrong, propose the right price there.',
  ],
  offer_without_price: ['offer', 'Add a price', 'Add the price. Buyers compare by it.'],
  offer_left_draft: ['offer', 'Open the offer', 'Publish it, or end it.'],
}

export const KNOWN_RULES: ReadonlySet<string> = new Set(Object.keys(WORDS))

/** A rule without words still leads to what it is about. */
const UNKNOWN: Words = ['product', 'Open it', 'Check it and correct it.']

type About = Pick<Issue, 'rule' | 'productSlug' | 'offerId'>

/** remedyOf leads those who may edit to the form that fixes it, and others to what it is about. */
export function remedyOf(issue: About, mayEdit: boolean): Remedy {
  const [at, label, fix] = WORDS[issue.rule] ?? UNKNOWN
  const { href, reads } = placeOf(at, issue)
  return mayEdit || reads === undefined
    ? { fix, label, href }
    : { fix, label: 'See the product', href: reads }
}

/** `reads` where the form itself is not for everybody. */
function placeOf(at: At, { productSlug, offerId }: About): { href: string; reads?: string } {
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

/** whatIsWrong says a service's message in the words of the pages. */
export function whatIsWrong({ message }: Pick<Issue, 'message'>): string {
  return message
    .replace(/The claim \((\w+)\)/, (all, type: string) => (TYPES[type] ? `Your claim ${TYPES[type]}` : all))
    .replace('no gtin or mpn', 'no GTIN or part number')
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, (day) => formatDate(day) ?? day)
}
