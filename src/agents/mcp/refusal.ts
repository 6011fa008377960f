/**
 * A refusal is a result that a model reads: what is wrong, what would be possible, what to do next. Programs that call
 * tools without a model find REST's envelope beside it.
 */
import { envelope } from '../../http/error-response.ts'
import type { AppError, ErrorCode } from '../../lib/errors.ts'
import { waitWords } from '../../lib/rate-limit.ts'
import { shorten } from '../../lib/text.ts'
import { nearProducts } from '../../search/near-products.ts'
import type { Search } from '../../search/search.service.ts'
import { type Family, MODERN_META } from './offered.ts'

/** Where a program finds the envelope. */
const ERROR_META = 'souk/error'
/** A message may repeat what the caller sent. */
const MAX_MESSAGE = 1_000
const PLAIN_WORD = /^[a-z']+[,:;]?(?: |$)/
const PRODUCT_FIELDS = new Set(['product_slug', 'slug'])

export type RefusalContext = { config: { baseUrl: string }; search: Pick<Search, 'index' | 'reading'> }

type Refusal = { text: string; error: Record<string, unknown> }

export function refusalText(family: Family, { text, error }: Refusal): string {
  const content = [{ type: 'text', text }]
  return JSON.stringify(
    family === 'legacy'
      ? { content, isError: true, _meta: { [ERROR_META]: error } }
      : { resultType: 'complete', content, isError: true, _meta: { ...MODERN_META, [ERROR_META]: error } },
  )
}

const proveDomain = (baseUrl: string) =>
  `An owner or admin has to verify the domain first: see POST ${baseUrl}/api/org/verify-domain/.`

const NEXT_STEP: Partial<Record<ErrorCode, (baseUrl: string) => string>> = {
  EMAIL_UNVERIFIED_CODE: (baseUrl) => `The user has to confirm their email first: ${baseUrl}/account.`,
  not_a_producer: (baseUrl) => `The user has to register or join an organization first: ${baseUrl}/account.`,
  no_verified_relationship: () =>
    'Next: claim_product, then wait until list_my_products shows it as verified.',
  org_unverified: proveDomain,
  domain_unverified: proveDomain,
  not_owner_or_admin: () => 'Ask an owner or admin of the organization: see list_team_members.',
}

/** What a caller who has used something up can do meanwhile. */
const INSTEAD: Record<string, string[]> = {
  product_curator: [
    'Next: product_curator with bundle: false makes a shortlist for one part at a time, compare compares; plan_id still shows your plans. None of these is limited.',
  ],
  find_retailers: ['Next: get_product shows listed prices and offers; request_id reads an earlier request.'],
  get_agent_integration: ['Next: get_agent_integration without run_test, or list_rfqs for real requests.'],
  import_products: ['Next: submit_product proposes single products meanwhile.'],
}

export async function refusalOf(
  ctx: RefusalContext,
  error: AppError,
  { given, tool, requestId }: { given: Record<string, unknown>; tool: string; requestId: string | null },
): Promise<Refusal> {
  const possible = error.valid ?? (await nearMatches(ctx, error, given))
  const valid = possible?.length === 0 ? undefined : possible
  const message = shorten(error.message, MAX_MESSAGE)
  const isOurs = error.kind === 'internal' && requestId !== null
  const fact = {
    ...envelope(error),
    error: message,
    ...(error.field !== undefined && { field: shorten(error.field, MAX_MESSAGE) }),
    ...(valid && { valid }),
    kind: error.kind,
    ...(isOurs && { request_id: requestId }),
  }
  const next = nextStep(ctx, error)
  const wait = error.retryAfterSeconds
  // Where the message lists them itself there is nothing to add.
  const listed = valid?.every((value) => message.includes(value)) ?? true
  const lines = [
    sentence(message, error.field),
    ...(listed ? [] : [`${error.kind === 'not_found' ? 'Near matches' : 'Possible'}: ${valid?.join(', ')}`]),
    ...(isOurs ? [`Request id: ${requestId}`] : []),
    ...(wait === undefined ? [] : [`Try again in ${waitWords(wait)}.`]),
    ...(next ? [next] : []),
    ...(error.kind === 'rate_limited' ? (INSTEAD[tool] ?? []) : []),
    ...(valid && !next && error.kind !== 'rate_limited' ? ['Next: call again with one of these.'] : []),
  ]
  return { text: lines.join('\n'), error: fact }
}

/** A person who left the organization that their token was for reads so in the message, and need not register one. */
function nextStep({ config }: RefusalContext, { code, message }: AppError): string | undefined {
  if (code === undefined || (code === 'not_a_producer' && message.includes('reconnect'))) return undefined
  return NEXT_STEP[code]?.(config.baseUrl)
}

async function nearMatches(
  { search }: RefusalContext,
  { kind, field }: AppError,
  given: Record<string, unknown>,
): Promise<string[] | undefined> {
  const asked = field === undefined || !PRODUCT_FIELDS.has(field) ? undefined : given[field]
  if (kind !== 'not_found' || typeof asked !== 'string') return undefined
  const near = await nearProducts(search, asked)
  // The product is there, and something else about it is missing: other products, or itself once more, would not help.
  if (field === 'product_slug' && near.some((slug) => `/${slug}`.endsWith(`/${nameIn(asked)}`)))
    return undefined
  return near.length > 0 ? near : undefined
}

/** `<category>/<slug>`, or the slug alone, of whatever names a product: the address of its page too. */
function nameIn(asked: string): string {
  return asked.trim().split('/').slice(-2).join('/')
}

export function notAProducer(baseUrl: string): Refusal {
  const error = 'this tool is for producers: people with an organization'
  const text = [sentence(error), NEXT_STEP.not_a_producer?.(baseUrl) ?? ''].join('\n')
  return { text, error: { error, code: 'not_a_producer', kind: 'forbidden' } }
}

/** The name of a parameter or the slug of a product at the beginning stays as it is: a model copies it. */
function sentence(text: string, field?: string): string {
  const named = (field !== undefined && text.startsWith(field)) || !PLAIN_WORD.test(text)
  const begun = named ? text : text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
