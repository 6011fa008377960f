/**
 * Whether an organization's shop speaks UCP (interface rule 7): its verified domain is asked first, then its shop on the
 * storefront platform. Nothing is asked of a domain that was not proved. "Not found" is an answer and is kept like one,
 * with what each probe met, in words, so that people can see why.
 */
import { conflict, forbidden, notFound } from '../lib/errors.ts'
import type { Outbound } from '../lib/outbound.ts'
import type { OrgsContext } from './context.ts'
import { parseShopifyShop } from './domain.ts'
import { findUcpCheck, saveUcpCheck } from './integration.queries.ts'
import { fetchJson } from './integration-fetch.ts'
import type { Org } from './orgs.schema.ts'
import { type Act, recordAction, requireProducer } from './producer.ts'
import { readUcpProfile } from './ucp-profile.ts'

export type UcpResult = { supported: boolean; profileUrl: string | null; checkoutEndpoint: string | null }

type Probe = {
  url: string | null
  outcome: string
  version: string | null
  capabilities: string[]
  /** Not kept with the probe: it has a column of its own. */
  checkoutEndpoint: string | null
}

export type LastUcpCheck = UcpResult & {
  checkedAt: Date
  /** What each place met, in the order asked. */
  probes: Array<Pick<Probe, 'url' | 'outcome'>>
}

/** What the last check found; null when there was none. */
export async function getUcpCheck(
  ctx: Pick<OrgsContext, 'db'>,
  act: Pick<Act, 'caller'>,
): Promise<LastUcpCheck | null> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const found = await findUcpCheck(ctx.db, org.id)
  if (!found) return null
  const { supported, profileUrl, checkoutEndpoint, details, at } = found
  const { probes } = details as { probes?: Probe[] }
  const met = (probes ?? []).map(({ url, outcome }) => ({ url, outcome }))
  return { supported, profileUrl, checkoutEndpoint, checkedAt: at, probes: met }
}

export async function checkUcp(ctx: OrgsContext, act: Act): Promise<UcpResult> {
  const { org } = await requireProducer(ctx, act.caller, 'edit')
  const probes = await probe(ctx.outbound, hostsOf(org))
  const found = probes.find((each) => each.version !== null)
  const result = {
    supported: found !== undefined,
    profileUrl: found?.url ?? null,
    checkoutEndpoint: found?.checkoutEndpoint ?? null,
  }
  await ctx.db.transaction().execute(async (tx) => {
    const producer = await requireProducer({ db: tx }, act.caller, 'edit')
    requireUnchanged(org, producer.org)
    const at = ctx.clock.now()
    const details = { probes: probes.map(({ checkoutEndpoint: _, ...kept }) => kept) }
    await saveUcpCheck(tx, { orgId: org.id, ...result, details, at })
    await recordAction(tx, { producer, act, at }, 'ucp.checked', {
      ucp_supported: result.supported,
      profile_url: result.profileUrl,
    })
  })
  return result
}

/** Where to ask, in order; null stands for a shop whose name cannot be one. */
function hostsOf({ domain, verificationStatus, shopifyShop }: Org): Array<string | null> {
  if (domain !== null && verificationStatus !== 'verified')
    throw forbidden(`${domain} is not verified yet; verify it first`, 'domain_unverified')
  const hosts = [
    ...(domain === null ? [] : [domain]),
    ...(shopifyShop === null ? [] : [parseShopifyShop(shopifyShop)]),
  ]
  if (hosts.length === 0) throw notFound('the organization has neither a domain nor a shop to check')
  return hosts
}

/** One after the other, and none after the first that speaks it. */
async function probe(outbound: Outbound, hosts: ReadonlyArray<string | null>): Promise<Probe[]> {
  const probes: Probe[] = []
  for (const host of hosts) {
    const result = await probeHost(outbound, host)
    probes.push(result)
    if (result.version !== null) break
  }
  return probes
}

async function probeHost(outbound: Outbound, host: string | null): Promise<Probe> {
  const url = host && `https://${host}/.well-known/ucp`
  const nothing = (outcome: string) => ({
    url,
    outcome,
    version: null,
    capabilities: [],
    checkoutEndpoint: null,
  })
  if (url === null) return nothing('not checked: the shop is not a myshopify.com name')
  const fetched = await fetchJson(outbound, url)
  if ('problem' in fetched) return nothing(`no profile: ${fetched.problem}`)
  const profile = readUcpProfile(fetched.value)
  if (!profile.supported) return nothing(`not a UCP profile: ${profile.reason}`)
  const { version, capabilities, checkoutEndpoint } = profile
  return { url, outcome: 'a UCP profile', version, capabilities, checkoutEndpoint }
}

function requireUnchanged(asked: Org, now: Org): void {
  const same =
    asked.id === now.id &&
    asked.domain === now.domain &&
    asked.verificationStatus === now.verificationStatus &&
    asked.shopifyShop === now.shopifyShop
  if (!same) throw conflict('the organization changed during the check; check again')
}
