/**
 * The organization's own operations (interface 2.8, 4 and 7; more in decisions "Contact points") and its link tokens.
 * Registering one is the only one that is published (interface, part 9). Link tokens are for signed-in owners and admins:
 * a token makes no tokens.
 */
import {
  BODY_REFUSALS,
  FROM_ANOTHER_SITE,
  NOT_BLANK,
  NOT_SIGNED_IN,
  published,
  type Refusal,
} from '../http/operation.ts'
import { wireOf } from '../lib/entity.ts'
import { defineOperation } from '../operations/define-operation.ts'
import type { OrgsContext } from './context.ts'
import { AuditQuery, listHistory } from './history.service.ts'
import { createLinkToken, listLinkTokens, revokeLinkToken } from './link-tokens.service.ts'
import { editOrg, selectOrganization, viewOrg } from './org.service.ts'
import {
  EditBody,
  NAME_MAX,
  OrgId,
  OrgRegistered,
  RegisterBody,
  SHOWN_TO_MEMBERS,
  TokenBody,
  TokenId,
} from './orgs.schema.ts'
import { isStuck, pendingOnWire } from './pending.ts'
import { type Act, bySession } from './producer.ts'
import { OWNED_MAX, registerOrg } from './register.service.ts'
import { demoMark } from './shown-org.ts'
import { verifyDomain } from './verification.service.ts'

export const NO_SESSION: Refusal = {
  ...NOT_SIGNED_IN,
  when: 'no valid session; link tokens are not accepted',
}
export const BY_SESSION = { openapi: false, caller: 'session' } as const
export const BY_EITHER = { openapi: false, caller: 'session or link token' } as const
export const DONE = { status: 200 as const, of: () => ({ ok: true }) }

const register = defineOperation({
  right: 'person',
  run: bySession(registerOrg),
  rest: [
    {
      id: 'registerOrganization',
      method: 'post',
      path: '/api/org/register/',
      tag: 'Organizations',
      summary: 'Register an organization',
      description:
        'You become its owner. It is verified immediately when its domain matches your own verified ' +
        'email, unless that is a public email provider.',
      caller: 'session',
      input: RegisterBody,
      body: published(RegisterBody, {
        id: 'OrgRegisterRequest',
        description: 'The organization',
        fields: {
          name: {
            description: `Its name, one line of at most ${NAME_MAX} characters after cleaning`,
            pattern: NOT_BLANK,
          },
          org_type: { description: 'Type of organization' },
          domain: { description: 'Its own domain; scheme and path are removed', pattern: NOT_BLANK },
          website_url: {
            description:
              'Its website: an http or https URL without a user name or password. Host names may use any script',
            pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:',
          },
          shopify_shop: {
            description: 'Its shop at Shopify, such as `acme.myshopify.com`',
            pattern: NOT_BLANK,
          },
        },
      }),
      answer: {
        ...{ status: 201, description: 'The organization was created', schema: OrgRegistered },
        of: ({ pending, ...made }) => ({
          ...wireOf(made, ['orgId', 'verificationStatus', 'skippedVerification']),
          ...pendingOnWire(pending),
        }),
      },
      refusals: [
        ...BODY_REFUSALS,
        NO_SESSION,
        {
          status: 403,
          when: 'your email is not verified',
          code: 'EMAIL_UNVERIFIED_CODE',
        },
        FROM_ANOTHER_SITE,
        { status: 409, when: `you already own ${OWNED_MAX} organizations`, code: 'conflict' },
        { status: 500, when: 'the database failed; nothing was created', code: 'internal' },
      ],
    },
  ],
})

const view = defineOperation({
  right: 'read',
  run: (ctx: OrgsContext, { caller }: Act) => viewOrg(ctx, caller),
  rest: [
    {
      ...BY_EITHER,
      method: 'get',
      path: '/api/org/',
      answer: {
        status: 200,
        of: ({ org, role, rename, pending, organizations }) => ({
          org_id: org.id,
          ...wireOf(org, SHOWN_TO_MEMBERS),
          active: org.deactivatedAt === null,
          ...demoMark(org),
          ...pendingOnWire(pending),
          ...(rename?.status === 'pending' && { pending_name: rename.name }),
          role,
          organizations: organizations.map((one) => wireOf(one, ['orgId', 'name', 'role', 'selected'])),
        }),
      },
    },
  ],
})

const edit = defineOperation({
  right: 'manage',
  run: editOrg,
  rest: [
    {
      ...BY_EITHER,
      method: 'patch',
      path: '/api/org/',
      input: EditBody,
      answer: {
        status: 200,
        of: ({ org, pendingName, pending }) => ({
          ok: true,
          verification_status: org.verificationStatus,
          ...(isStuck(pending) && pendingOnWire(pending)),
          ...(pendingName !== null && { pending_name: pendingName }),
        }),
      },
    },
  ],
})

const select = defineOperation({
  right: 'read',
  run: bySession((ctx: OrgsContext, { caller }, { org_id }: { org_id: string }) =>
    selectOrganization(ctx, caller, org_id),
  ),
  rest: [{ ...BY_SESSION, method: 'post', path: '/api/org/select/', input: OrgId, answer: DONE }],
})

const verify = defineOperation({
  right: 'manage',
  run: verifyDomain,
  rest: [
    {
      ...BY_EITHER,
      method: 'post',
      path: '/api/org/verify-domain/',
      answer: {
        status: 200,
        of: (found) => wireOf(found, ['verificationStatus', 'dnsRecord', 'fileUrl', 'fileBody', 'checked']),
      },
    },
  ],
})

const history = defineOperation({
  right: 'oversee',
  run: (ctx: OrgsContext, { caller }: Act, query: AuditQuery) => listHistory(ctx, caller, query),
  rest: [
    {
      ...BY_EITHER,
      method: 'get',
      path: '/api/org/audit/',
      input: AuditQuery,
      answer: {
        status: 200,
        of: ({ entries, next }) => ({
          entries: entries.map(({ actor, name, ...entry }) => ({
            ...wireOf(entry, ['id', 'at', 'action', 'detail']),
            actor: { ...actor, ...(name !== null && { name }) },
          })),
          ...(next !== null && { next }),
        }),
      },
    },
  ],
})

const LINK_TOKENS = { ...BY_SESSION, path: '/api/org/link-tokens/' }

const tokensOf = bySession(listLinkTokens)
const listTokens = defineOperation({
  right: 'oversee',
  run: tokensOf,
  rest: [
    {
      ...LINK_TOKENS,
      method: 'get',
      answer: {
        status: 200,
        of: (tokens) => ({
          tokens: tokens.map((token) => ({
            ...wireOf(token, ['id', 'name', 'hint', 'createdAt', 'lastUsedAt']),
            created_by: token.createdBy && wireOf(token.createdBy, ['userId', 'name', 'email']),
          })),
        }),
      },
    },
  ],
})

const createToken = defineOperation({
  right: 'manage',
  run: bySession(createLinkToken),
  rest: [
    { ...LINK_TOKENS, method: 'post', input: TokenBody, answer: { status: 201, of: (created) => created } },
  ],
})

const revokeToken = defineOperation({
  right: 'manage',
  run: bySession((ctx: OrgsContext, act, { id }: { id: string }) => revokeLinkToken(ctx, act, id)),
  rest: [{ ...LINK_TOKENS, method: 'delete', input: TokenId, answer: DONE }],
})

export const ORG_OPERATIONS = [
  register,
  view,
  edit,
  select,
  verify,
  history,
  listTokens,
  createToken,
  revokeToken,
]
