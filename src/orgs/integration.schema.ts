/**
 * What a producer says about how it answers requests for quotes, and the bounds of it. Managed rules are kept as given
 * (interface 2.8), so their shape is nearly free; what is checked is that they can be stored, and that the two figures a
 * producer keeps to itself are taken out of them, however deep they stand, on the way in and again on the way out.
 */

import { z } from 'zod'
import type { Row } from '../db/columns.ts'
import { wireOf } from '../lib/entity.ts'
import { isBadPort } from '../lib/outbound.allow.ts'
import { isRecord } from '../lib/validate.ts'

export const AUTH_TYPES = ['none', 'bearer', 'hmac'] as const
export type AuthType = (typeof AUTH_TYPES)[number]
export const INTEGRATION_STATUSES = ['pending', 'active', 'unreachable'] as const
export type ManagedRules = Record<string, unknown>
/** A tier as it is kept in managed rules. */
export type VolumeDiscount = { min_qty: number; discount_pct: number }

/** Without a secret nothing is sent that would prove who asks. */
export type CardRegistration = {
  agentCardUrl: string
  secret: { type: 'bearer' | 'hmac'; secret: string } | null
}
/** A rule set that is absent stays as it is; null takes it away. */
export type IntegrationChange = { isManaged: boolean; managedRules?: ManagedRules | null; clearCard: boolean }

/** What is shown of it, never a secret. */
export const INTEGRATION_KEYS = [
  'isManaged',
  'managedRules',
  'agentCardUrl',
  'authType',
  'status',
  'lastResponseMs',
  'lastCheckedAt',
] as const
export type Integration = Pick<
  Row<'agent_integrations'>,
  Exclude<(typeof INTEGRATION_KEYS)[number], 'managedRules'>
> & { managedRules: ManagedRules | null }

export const integrationWire = (integration: Integration) => wireOf(integration, INTEGRATION_KEYS)

/** Of an organization that has said nothing yet. */
export const NO_INTEGRATION: Integration = {
  isManaged: false,
  managedRules: null,
  agentCardUrl: null,
  authType: 'none',
  status: 'pending',
  lastResponseMs: null,
  lastCheckedAt: null,
}

const MAX_URL = 2_048
const MAX_RULES = 32 * 1024
const MAX_DEPTH = 32

export const MIN_SECRET = 16
export const MAX_SECRET = 4_096
/** It travels in a header, where anything else would be cut or refused on the way. */
export const BEARER_TOKEN = /^[\x21-\x7e]+$/

const Secret = z.string().min(MIN_SECRET).max(MAX_SECRET)
const BearerToken = Secret.regex(BEARER_TOKEN, 'must be printable ASCII without spaces')
// The key is its UTF-8 form, which half a character does not have.
const HmacSecret = Secret.refine((text) => text.isWellFormed(), 'must be valid Unicode')

export const CardUrl = z
  .string()
  .max(MAX_URL)
  .transform((text, check) => {
    const url = URL.parse(text.trim())
    const problem = url === null ? 'must be an absolute URL' : cardUrlProblem(text.trim(), url)
    if (url === null || problem !== null) {
      check.issues.push({ code: 'custom', message: problem ?? '', input: text })
      return z.NEVER
    }
    url.hash = ''
    return url.href
  })

function cardUrlProblem(text: string, url: URL): string | null {
  // The parser drops line breaks and guesses at spaces and backslashes; what is meant should be what is written.
  if (/[\s\\\p{Cc}]/u.test(text)) return 'must be an absolute URL'
  if (url.protocol !== 'https:') return 'must start with https://'
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.port !== '' && isBadPort(Number(url.port)))
    return `port ${url.port} is not allowed for web requests`
  return null
}

/** Body of register-agent-card. The secret of another way to authenticate than the one chosen is ignored. */
export const RegisterCardBody = z
  .object({
    agent_card_url: CardUrl,
    auth_type: z.enum(AUTH_TYPES).default('none'),
    bearer_token: z.unknown().optional(),
    hmac_secret: z.unknown().optional(),
  })
  .transform(({ agent_card_url, auth_type, bearer_token, hmac_secret }, check): CardRegistration => {
    if (auth_type === 'none') return { agentCardUrl: agent_card_url, secret: null }
    const [field, given, schema] =
      auth_type === 'bearer'
        ? (['bearer_token', bearer_token, BearerToken] as const)
        : (['hmac_secret', hmac_secret, HmacSecret] as const)
    const parsed = schema.safeParse(given)
    if (parsed.success)
      return { agentCardUrl: agent_card_url, secret: { type: auth_type, secret: parsed.data } }
    for (const issue of parsed.error.issues)
      check.issues.push({ ...issue, path: [field], input: given } as z.core.$ZodRawIssue)
    return z.NEVER
  })

const Rules = z
  .custom<ManagedRules | null>((value) => value === null || isRecord(value), 'must be an object or null')
  .superRefine((rules, check) => {
    if (rules === null) return
    const unfit = storageProblem(rules, MAX_DEPTH)
    if (unfit !== null) check.issues.push({ code: 'custom', message: unfit, input: rules })
    else if (JSON.stringify(rules).length > MAX_RULES)
      check.issues.push({
        code: 'too_big',
        origin: 'string',
        maximum: MAX_RULES,
        inclusive: true,
        input: rules,
      })
    if (Object.hasOwn(rules, 'volume_discounts') && !Array.isArray(rules.volume_discounts))
      check.issues.push({
        code: 'custom',
        message: 'must be an array',
        path: ['volume_discounts'],
        input: rules.volume_discounts,
      })
  })

/** Body of PATCH agent-integration. */
export const ChangeIntegrationBody = z
  .object({
    is_managed: z.boolean(),
    managed_rules: Rules.meta({
      type: ['object', 'null'],
      properties: {
        volume_discounts: {
          type: 'array',
          description: 'Tiers of `{ min_qty, discount_pct }`; the best matching tier applies',
          // Any value: the interface keeps what is no tier as well.
          items: {
            description:
              '`{ min_qty: 10, discount_pct: 5 }`; entries that are not tiers are stored and ignored',
          },
        },
      },
    }).optional(),
    agent_card_url: z
      .custom<null>(
        (value) => value === null,
        'accepts only null, which removes the card; set one with POST /api/org/register-agent-card/',
      )
      .meta({ type: 'null' })
      .optional(),
  })
  .transform(
    ({ is_managed, managed_rules, agent_card_url }): IntegrationChange => ({
      isManaged: is_managed,
      ...(managed_rules !== undefined && { managedRules: managed_rules }),
      clearCard: agent_card_url === null,
    }),
  )

/** What PostgreSQL's jsonb cannot hold would be a fault of ours if it came that far. */
function storageProblem(value: unknown, depthLeft: number): string | null {
  if (typeof value === 'string') return fits(value) ? null : 'contains text that cannot be stored'
  if (typeof value !== 'object' || value === null) return null
  if (depthLeft === 0) return `must be nested at most ${MAX_DEPTH} deep`
  for (const [key, inner] of Object.entries(value)) {
    const problem = fits(key) ? storageProblem(inner, depthLeft - 1) : 'contains text that cannot be stored'
    if (problem !== null) return problem
  }
  return null
}

function fits(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

const PRIVATE_RULES = new Set(['reserve_price_usd', 'min_margin_pct'])

/** The rules without what only the producer may know, at any depth. */
export function withoutPrivateRules(rules: ManagedRules): ManagedRules {
  return stripped(rules) as ManagedRules
}

// Object.fromEntries, because assigning a key named __proto__ would set the prototype instead of keeping the key.
function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped)
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([key]) => !PRIVATE_RULES.has(key))
  return Object.fromEntries(kept.map(([key, inner]) => [key, stripped(inner)]))
}
