/** What an organization is inside the service, what its people may be, and what callers send and are answered about it. */
import { z } from 'zod'
import { Email } from '../accounts/accounts.schema.ts'
import type { Row } from '../db/columns.ts'
import type { OrgRole, OrgType } from '../db/tables.producers.ts'
import { isPublicHost, NOT_PUBLIC } from '../lib/public-link.ts'
import { cleanLine } from '../lib/text.ts'
import { parseDomain, parseShopifyShop } from './domain.ts'

export type { OrgRole, OrgType }
export const ORG_TYPES = ['manufacturer', 'retailer', 'distributor'] as const satisfies readonly OrgType[]
/** Most powerful first. */
export const ORG_ROLES = ['owner', 'admin', 'editor', 'viewer'] as const satisfies readonly OrgRole[]

/** Its domain is bare and lower case, and proved only when `verificationStatus` says so. */
export type Org = Omit<Row<'orgs'>, 'updatedAt'>

/** What its people see of it; `active` and `org_id` stand beside. */
export const SHOWN_TO_MEMBERS = [
  'name',
  'orgType',
  'domain',
  'websiteUrl',
  'shopifyShop',
  'verificationStatus',
  'verifiedVia',
  'verifiedAt',
  'createdAt',
] as const satisfies ReadonlyArray<keyof Org>
export const ORG_KEYS = [...SHOWN_TO_MEMBERS, 'id', 'verificationToken', 'deactivatedAt', 'demo'] as const

/** Why an organization is not verified. */
const PENDING_REASONS = ['no_domain', 'domain_taken', 'freemail_domain', 'domain_unproved'] as const
export type PendingReason = (typeof PENDING_REASONS)[number]

/** What registering answers with (interface 2.8). */
export const OrgRegistered = z
  .object({
    org_id: z.string().describe('Id of the new organization'),
    verification_status: z.enum(['pending', 'verified']).describe('Whether its domain is verified'),
    skipped_verification: z
      .boolean()
      .describe("True when the caller's verified email is on the domain, which verifies it immediately"),
    pending_reason: z
      .enum(PENDING_REASONS)
      .optional()
      .describe(
        'Why it is pending; absent when it is verified. `domain_taken`: another organization verified the domain',
      ),
    next_step: z.string().optional().describe('What to do about it; absent when it is verified'),
  })
  .meta({ id: 'OrgRegistered', description: 'The organization was created, and the caller owns it' })

export const NAME_MAX = 255
const URL_MAX = 2_000
export const TOKEN_NAME_MAX = 60

const line = (max: number) => z.string().transform(cleanLine).pipe(z.string().min(1).max(max))

const Domain = z.string().transform((given, ctx) => {
  const { domain, problem } = parseDomain(given)
  if (domain !== undefined) return domain
  ctx.addIssue({ code: 'custom', message: problem })
  return z.NEVER
})

/** As the URL standard writes it. No user name or password: it is shown to everybody. */
const WebsiteUrl = z
  .string()
  .max(URL_MAX)
  .transform((given, ctx) => {
    const url = URL.parse(given.trim())
    const isWeb = url && /^https?:$/.test(url.protocol) && url.hostname && !url.username && !url.password
    if (isWeb && isPublicHost(url)) return url.href
    ctx.addIssue({ code: 'custom', message: isWeb ? NOT_PUBLIC : 'must be an http or https URL' })
    return z.NEVER
  })

const ShopifyShop = z.string().transform((given, ctx) => {
  const shop = parseShopifyShop(given)
  if (shop !== null) return shop
  ctx.addIssue({ code: 'custom', message: 'must be a shop such as acme.myshopify.com' })
  return z.NEVER
})

export const RegisterBody = z.object({
  name: line(NAME_MAX),
  org_type: z.enum(ORG_TYPES),
  domain: Domain.nullish(),
  website_url: WebsiteUrl.nullish(),
  shopify_shop: ShopifyShop.nullish(),
})
export type RegisterBody = z.infer<typeof RegisterBody>

/** Null takes a value away; what is absent stays. */
export const EditBody = RegisterBody.partial()
export type EditBody = z.infer<typeof EditBody>

/** An id from outside may be anything: what is no id is not found. */
export const OrgId = z.object({ org_id: z.string() })
export const TokenBody = z.object({ name: line(TOKEN_NAME_MAX) })
export const TokenId = z.object({ id: z.string() })

export const TeamMemberBody = z.object({ email: Email, role: z.enum([...ORG_ROLES, 'none']) })
export type TeamMemberBody = z.infer<typeof TeamMemberBody>
