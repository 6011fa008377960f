/** What callers send about organizations, their teams and tokens; names as the interface spells them. */
import { z } from 'zod'
import { Email } from '../accounts/accounts.schema.ts'
import { isPublicHost, NOT_PUBLIC } from '../lib/public-link.ts'
import { cleanLine } from '../lib/text.ts'
import { parseDomain } from './domain.ts'
import { ORG_ROLES, ORG_TYPES } from './orgs.schema.ts'
import { parseShopifyShop } from './shopify-shop.ts'

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
    ctx.addIssue({ code: 'custom', message: isWeb ? NOT_PUBLIC : 'must be an http or https address' })
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
export const EditBody = z.object({
  name: line(NAME_MAX).optional(),
  org_type: z.enum(ORG_TYPES).optional(),
  domain: Domain.nullish(),
  website_url: WebsiteUrl.nullish(),
  shopify_shop: ShopifyShop.nullish(),
})
export type EditBody = z.infer<typeof EditBody>

/** An id from outside may be anything: what is no id is not found. */
export const SelectBody = z.object({ org_id: z.string() })
export const LeaveBody = SelectBody

export const TokenBody = z.object({ name: line(TOKEN_NAME_MAX) })
export const TokenId = z.object({ id: z.string() })

export const TeamMemberBody = z.object({ email: Email, role: z.enum([...ORG_ROLES, 'none']) })
export type TeamMemberBody = z.infer<typeof TeamMemberBody>

export const AcceptBody = z.object({ token: z.string().min(1) })
