/** How an organization answers requests for quote, and the UCP check (interface 2.8, 4 and 7). */
import { z } from 'zod'
import {
  BODY_REFUSALS,
  DEACTIVATED,
  DoneSchema,
  FROM_ANOTHER_SITE,
  NO_ORGANIZATION,
  NOT_SIGNED_IN,
  ONLY_READS,
  published,
  type Refusal,
} from '../http/operation.ts'
import { wireOf } from '../lib/entity.ts'
import { defineOperation } from '../operations/define-operation.ts'
import {
  AUTH_TYPES,
  type AuthType,
  BEARER_TOKEN,
  ChangeIntegrationBody,
  INTEGRATION_STATUSES,
  integrationWire,
  MAX_SECRET,
  MIN_SECRET,
  RegisterCardBody,
} from './integration.schema.ts'
import { changeIntegration, getIntegration, registerAgentCard } from './integration.service.ts'
import { DONE, NO_SESSION } from './orgs.operations.ts'
import { checkUcp } from './ucp.service.ts'

const NOT_MANAGING: Refusal = {
  status: 403,
  when: 'you are neither owner nor admin; a link token acts as the organization',
  code: 'not_owner_or_admin',
}
const CHANGED_MEANWHILE: Refusal = {
  status: 409,
  when: 'the organization or your role in it changed meanwhile; nothing was done',
  code: 'conflict',
}
/** Both fetch something from the organization's own servers, which a node that stops breaks off. */
const STOPPING: Refusal = {
  status: 503,
  when: 'the service is stopping; `Retry-After` says when to try again',
}
const REST = { tag: 'Organizations', caller: 'session or link token' } as const
const NO_STORE = { 'Cache-Control': '`no-store`: the answer is private to the organization' }

const AgentIntegration = z
  .object({
    is_managed: z.boolean().describe('Whether the service answers requests for quote with the managed rules'),
    managed_rules: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('As you sent them, without the write-only limits; null when there are none'),
    agent_card_url: z.string().nullable().describe("Card of the organization's own agent"),
    auth_type: z.enum(AUTH_TYPES).describe('How the service authenticates to that agent'),
    status: z
      .enum(INTEGRATION_STATUSES)
      .describe('`pending` until the first valid answer; `unreachable` after three failures in a row'),
    last_response_ms: z.number().nullable().describe('How long the last answer took'),
    last_checked_at: z.iso.datetime().nullable().describe('When the agent was last called'),
  })
  .meta({ id: 'AgentIntegration', description: 'How an organization answers requests for quote' })

const CardRegistered = z
  .object({
    ok: z.boolean().describe('True: the card is registered'),
    validated: z.boolean().describe('True: the card was fetched and declares the skill'),
  })
  .meta({ id: 'AgentCardRegistered', description: 'The card was read and is registered' })

const UcpCheck = z
  .object({
    ucp_supported: z.boolean().describe('Whether a UCP profile was found'),
    profile_url: z.string().nullable().describe('Where it was found'),
    checkout_endpoint: z.string().nullable().describe('Where a checkout begins, when the profile names it'),
  })
  .meta({ id: 'UcpCheck', description: "Whether the organization's shop supports UCP" })

/** A secret is looked at only when it is the one of the way that was chosen; any other may be anything. */
function authenticating(auth_type: AuthType, secret?: { field: string; pattern?: string }) {
  const { field, ...bounds } = secret ?? {}
  const description = `The secret of ${auth_type}`
  return {
    type: 'object',
    properties: {
      auth_type: { const: auth_type, description: `auth_type is ${auth_type}` },
      ...(field && {
        [field]: { description, type: 'string', minLength: MIN_SECRET, maxLength: MAX_SECRET, ...bounds },
      }),
    },
    ...(field && { required: ['auth_type', field] }),
  }
}
const secretWords = (auth_type: AuthType) =>
  `${MIN_SECRET} to ${MAX_SECRET} characters. Required when auth_type is ${auth_type}, otherwise ignored. Stored encrypted, never shown`

const registerCard = defineOperation({
  right: 'manage',
  run: registerAgentCard,
  rest: [
    {
      ...REST,
      id: 'registerAgentCard',
      method: 'post',
      path: '/api/org/register-agent-card/',
      summary: 'Register your agent card',
      description:
        'Replaces the card you registered before. The card must be on your verified domain, at a public address, and declare ' +
        'a skill `respond-to-rfq` with a description. We send requests for quotes to `/message:send` at the root of its host.',
      input: RegisterCardBody,
      body: published(RegisterCardBody, {
        id: 'AgentCardRequest',
        description: 'Where your card is, and how Souk authenticates to your agent',
        fields: {
          agent_card_url: {
            description: 'https, on the verified domain or a subdomain, without a user name or password',
            pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]:[^\\s\\\\]+\\s*$',
          },
          auth_type: { description: 'How Souk authenticates to your agent' },
          bearer_token: { description: `Printable ASCII without spaces, ${secretWords('bearer')}` },
          hmac_secret: { description: `Text, ${secretWords('hmac')}` },
        },
        rules: {
          anyOf: [
            authenticating('none'),
            authenticating('bearer', { field: 'bearer_token', pattern: BEARER_TOKEN.source }),
            authenticating('hmac', { field: 'hmac_secret' }),
          ],
        },
      }),
      answer: {
        ...{
          status: 200,
          description: 'The card was read and is registered',
          schema: CardRegistered,
          headers: NO_STORE,
        },
        of: () => ({ ok: true, validated: true }),
      },
      refusals: [
        ...BODY_REFUSALS,
        NOT_SIGNED_IN,
        NOT_MANAGING,
        DEACTIVATED,
        { status: 403, when: 'the organization has no verified domain', code: 'org_unverified' },
        { status: 403, when: 'the card is outside your verified domain', code: 'domain_mismatch' },
        FROM_ANOTHER_SITE,
        { status: 404, when: 'you belong to no organization', code: 'not_found' },
        CHANGED_MEANWHILE,
        { status: 422, when: 'the card is at a private address', code: 'private_address' },
        { status: 422, when: 'the card cannot be fetched, or is not JSON', code: 'card_unreachable' },
        { status: 422, when: 'the card lacks the skill', code: 'card_lacks_skill' },
        STOPPING,
      ],
    },
  ],
})

const get = defineOperation({
  right: 'read',
  run: getIntegration,
  rest: [
    {
      ...REST,
      id: 'getAgentIntegration',
      method: 'get',
      path: '/api/org/agent-integration/',
      summary: 'Get your quote settings',
      description:
        'How your organization answers requests for quotes. Secrets, `reserve_price_usd` and `min_margin_pct` are left out.',
      answer: {
        ...{
          status: 200,
          description: 'Your settings, or the defaults',
          schema: AgentIntegration,
          headers: NO_STORE,
        },
        of: integrationWire,
      },
      refusals: [NOT_SIGNED_IN, NO_ORGANIZATION],
    },
  ],
})

const change = defineOperation({
  right: 'manage',
  run: changeIntegration,
  rest: [
    {
      ...REST,
      id: 'changeAgentIntegration',
      method: 'patch',
      path: '/api/org/agent-integration/',
      summary: 'Change your quote settings',
      description:
        'Sets how your organization answers requests for quotes. A malformed body is a 400 for every role. ' +
        '`reserve_price_usd` and `min_margin_pct` are removed from the rules at any depth; the rest is kept as sent.',
      input: ChangeIntegrationBody,
      body: published(ChangeIntegrationBody, {
        id: 'AgentIntegrationChange',
        description: 'Who answers, and with which rules',
        fields: {
          is_managed: { description: 'True if Souk answers for you by the managed rules' },
          managed_rules: {
            description: 'Kept as sent, up to 32 KB. Leave out to keep the current rules; null removes them',
          },
          agent_card_url: { description: 'Only null, which removes the card' },
        },
      }),
      answer: {
        ...{ status: 200, description: 'Done', schema: DoneSchema, headers: NO_STORE },
        of: DONE.of,
      },
      refusals: [
        ...BODY_REFUSALS,
        NOT_SIGNED_IN,
        NO_ORGANIZATION,
        NOT_MANAGING,
        DEACTIVATED,
        FROM_ANOTHER_SITE,
      ],
    },
  ],
})

const check = defineOperation({
  right: 'edit',
  run: checkUcp,
  rest: [
    {
      ...REST,
      id: 'checkUcp',
      method: 'post',
      path: '/api/org/ucp-check/',
      caller: 'session',
      summary: 'Check your shop for UCP',
      description:
        'Looks for `/.well-known/ucp` on your verified domain, then on your Shopify shop, and saves the result. ' +
        'Finding nothing is a result too. Takes no body.',
      answer: {
        ...{ status: 200, description: 'The result', schema: UcpCheck, headers: NO_STORE },
        of: ({ supported, ...found }) => ({
          ucp_supported: supported,
          ...wireOf(found, ['profileUrl', 'checkoutEndpoint']),
        }),
      },
      refusals: [
        NO_SESSION,
        NO_ORGANIZATION,
        { status: 403, when: 'a domain is set but not verified', code: 'domain_unverified' },
        DEACTIVATED,
        ONLY_READS,
        FROM_ANOTHER_SITE,
        { status: 404, when: 'the organization has neither a domain nor a shop', code: 'not_found' },
        CHANGED_MEANWHILE,
        STOPPING,
      ],
    },
  ],
})

export const INTEGRATION_OPERATIONS = [registerCard, get, change, check]
