/**
 * Proving a domain. The look-ups go out to strangers and take seconds, so they happen outside any transaction;
 * afterwards, with the organization locked, what was proved must still be what is claimed. A verified domain belongs to
 * one organization: the index decides between two that prove it at once.
 */
import type { Db } from '../db/database.ts'
import { AppError, conflict, invalid } from '../lib/errors.ts'
import type { OrgHooks, OrgsContext } from './context.ts'
import { clearCard } from './integration.queries.ts'
import { isDomainTaken, isVerifiedElsewhere, takeTurn, updateOrg } from './orgs.queries.ts'
import type { Org } from './orgs.schema.ts'
import { domainTakenWords } from './pending.ts'
import { type Act, lockManaged, recordAction, requireProducer, together } from './producer.ts'
import { newVerificationToken } from './register.service.ts'
import { stepAside } from './step-aside.ts'
import { type Found, lookForProof, proofPlaces } from './verification.lookup.ts'

const TRY_EVERY_MS = 5_000

type DomainVerification = {
  verificationStatus: 'pending' | 'verified'
  dnsRecord: string
  fileUrl: string
  fileBody: string
  checked: Found['checked']
}

export async function verifyDomain(ctx: OrgsContext, act: Act): Promise<DomainVerification> {
  const { org } = await requireProducer(ctx, act.caller, 'manage', { orLinkToken: true })
  const { domain, verificationToken: token, verificationStatus } = org
  if (domain === null) throw invalid('domain', 'domain: is not set; set it with PATCH /api/org/ first')
  const proof = { domain, token }
  const places = proofPlaces(proof)
  if (verificationStatus === 'verified') {
    const words = `not checked: ${domain} is verified`
    return { verificationStatus, ...places, checked: { dns: words, file: words } }
  }
  if (await isVerifiedElsewhere(ctx.db, domain, org.id)) throw domainTaken(domain)
  await takeTry(ctx, org.id)
  const { via, checked } = await lookForProof(ctx, proof)
  if (via === null) return { verificationStatus: 'pending', ...places, checked }
  await conflictIfTaken(domain, () =>
    together(ctx, async (inTx) => {
      const producer = await lockManaged(inTx, act.caller, { orLinkToken: true })
      const now = producer.org
      if (now.id !== org.id || now.domain !== domain || now.verificationToken !== token)
        throw conflict('the domain changed during the check; try again')
      if (now.verificationStatus === 'verified') return
      const at = ctx.clock.now()
      await markVerified(inTx.db, ctx.orgHooks, { org, via, at })
      await recordAction(inTx.db, { producer, act, at }, 'org.verified', { domain, via })
    }),
  )
  return { verificationStatus: 'verified', ...places, checked }
}

/** With the organization locked; the caller records it. */
export async function markVerified(
  tx: Db,
  hooks: OrgHooks,
  { org, via, at }: { org: Pick<Org, 'id' | 'domain'>; via: 'dns' | 'file' | 'operator'; at: Date },
): Promise<void> {
  await stepAside(tx, hooks, { domain: org.domain, at })
  await updateOrg(tx, org.id, { verificationStatus: 'verified', verifiedVia: via, verifiedAt: at }, at)
  await hooks.domainVerified(tx, org.id, at)
  await hooks.changed(tx, org.id, at)
}

/**
 * The domain is free for others to verify; what depended on it is unverified, and an agent that lived there is not
 * asked. The token is a new one: what still stands at the domain proves nothing.
 */
export async function markUnproved(
  tx: Db,
  hooks: OrgHooks,
  { orgId, at }: { orgId: string; at: Date },
): Promise<void> {
  const unproved = { verificationStatus: 'pending', verifiedVia: null, verifiedAt: null } as const
  await updateOrg(tx, orgId, { ...unproved, verificationToken: newVerificationToken() }, at)
  await clearCard(tx, orgId)
  await hooks.domainLost(tx, orgId, at)
}

export async function conflictIfTaken<T>(domain: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isDomainTaken(error)) throw domainTaken(domain)
    throw error
  }
}

function domainTaken(domain: string): AppError {
  return conflict(domainTakenWords(domain), { field: 'domain' })
}

async function takeTry(ctx: OrgsContext, orgId: string): Promise<void> {
  const now = ctx.clock.now()
  const key = ctx.secrets.throttleKey(`verify domain ${orgId}`)
  const taken = await takeTurn(ctx.db, { key, now, everyMs: TRY_EVERY_MS })
  if (taken === null) return
  const seconds = Math.max(1, Math.ceil((taken.waitUntil.getTime() - now.getTime()) / 1000))
  throw new AppError('rate_limited', `the domain was checked a moment ago; try again in ${seconds} seconds`, {
    code: 'rate_limited',
    retryAfterSeconds: seconds,
  })
}
