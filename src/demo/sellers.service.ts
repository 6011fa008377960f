/**
 * Brings the demo sellers in with the demo catalog, once for each version of both, and takes them away again. Everything is
 * one transaction. Their organizations are marked, and nobody can mistake them for real ones: see `shown-org.ts`.
 */
import { DEMO_ACCOUNTS } from '../accounts/demo.service.ts'
import { demoFingerprint } from '../catalog/demo.service.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { newToken, type SecretBox, sha256 } from '../lib/crypto.ts'
import { centsToDollars } from '../lib/money.ts'
import { alteringShelves, recordSellerChange } from '../offers/shelves.service.ts'
import type { OrgRules } from '../pricing/pricing.schema.ts'
import { VERDICTS } from '../rfq/verdicts.ts'
import {
  hasHistory,
  insertAnswers,
  insertChoices,
  insertRequests,
  insertSights,
  lockHistory,
} from './history.queries.ts'
import {
  carryProducts,
  deactivateSellers,
  findDemoOrgs,
  findLoaded,
  findSales,
  insertSales,
  type SellerRow,
  saveAccounts,
  saveLoaded,
  saveSellers,
} from './sellers.queries.ts'
import { agentHost, DEMO_SELLERS, type DemoSeller } from './sellers.ts'

type Context = { db: Db; clock: Clock; integrationSecrets: SecretBox }

/** Changes with what this module writes, where the sellers themselves stay as they are. */
const VERSION = 1

export async function areSellersLoaded(ctx: { db: Db }): Promise<boolean> {
  return (await findLoaded(ctx.db)) !== null
}

/** Where the demo catalog is loaded. True when this version was not there yet. */
export async function loadDemoSellers(ctx: Context): Promise<boolean> {
  const catalog = await demoFingerprint(ctx)
  if (catalog === null) return false
  const fingerprint = sha256(JSON.stringify([VERSION, catalog, DEMO_SELLERS])).toString('hex')
  if ((await findLoaded(ctx.db)) === fingerprint) return false
  await ctx.db.transaction().execute(async (tx) => {
    const at = ctx.clock.now()
    const away = await findDemoOrgs(tx, { isActive: false })
    await saveSellers(
      tx,
      DEMO_SELLERS.map((seller) => rowOf(seller, ctx.integrationSecrets)),
      at,
    )
    const { seller, operator } = DEMO_ACCOUNTS
    await saveAccounts(
      tx,
      [
        { ...seller, orgId: DEMO_SELLERS[0]?.id ?? null },
        { ...operator, orgId: null },
      ],
      at,
    )
    await carryProducts(tx, DEMO_SELLERS, at)
    const sales = await findSales(tx, DEMO_SELLERS)
    const productIds = [...new Set(sales.map(({ productId }) => productId))]
    await alteringShelves(tx, { productIds, at }, () => insertSales(tx, sales, at))
    for (const orgId of away) await recordSellerChange(tx, { orgId, at })
    await saveLoaded(tx, fingerprint)
  })
  return true
}

/**
 * A month of requests, so that the dashboard has something to show; once. A node makes it after its start, because nobody
 * waits for it. Of nodes that start together one does.
 */
export async function makeDemoHistory(ctx: Pick<Context, 'db' | 'clock'>): Promise<boolean> {
  return ctx.db.transaction().execute(async (tx) => {
    await lockHistory(tx)
    if (!(await areSellersLoaded({ db: tx })) || (await hasHistory(tx))) return false
    const at = ctx.clock.now()
    await insertRequests(tx, at)
    await insertAnswers(tx, textsOf())
    await insertChoices(tx, at)
    await insertSights(tx, { orgId: DEMO_SELLERS[0]?.id ?? '', at })
    return true
  })
}

function textsOf(): Record<string, string> {
  return Object.fromEntries(Object.entries(VERDICTS).map(([name, { text }]) => [name, text]))
}

/** They are asked and shown no more; what they had is there again when they come back. */
export async function unloadDemoSellers(ctx: Pick<Context, 'db' | 'clock'>): Promise<boolean> {
  if (!(await areSellersLoaded(ctx))) return false
  await ctx.db.transaction().execute(async (tx) => {
    const at = ctx.clock.now()
    for (const orgId of await deactivateSellers(tx, at)) await recordSellerChange(tx, { orgId, at })
    await saveLoaded(tx, null)
  })
  return true
}

function rowOf(
  { id, name, orgType, domain, tiers, terms, agent }: DemoSeller,
  secrets: SecretBox,
): SellerRow {
  return {
    ...{ id, name, orgType, domain, verificationToken: newToken('souk_domain') },
    isManaged: agent === null,
    managedRules: agent === null ? { volume_discounts: tiers } : null,
    pricing: agent === null ? pricingOf(terms) : {},
    agentCardUrl: agent && `https://${agentHost({ domain })}/.well-known/agent-card.json`,
    authType: agent?.authType ?? 'none',
    secretBox: agent && secrets.seal(newToken('demo_agent')),
  }
}

/** What holds for all products of a seller. */
function pricingOf({
  maxDiscountPct,
  leadDays,
  returnDays,
  regions,
  ...terms
}: DemoSeller['terms']): OrgRules {
  return {
    max_discount_pct: maxDiscountPct,
    lead_time_days: leadDays[0],
    return_policy_days: returnDays,
    delivery_regions: regions && [...regions],
    shipping_cost_usd: centsToDollars(terms.shippingCents),
    free_shipping_above_usd: terms.freeFromCents === null ? null : centsToDollars(terms.freeFromCents),
  }
}
