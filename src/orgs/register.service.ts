/**
 * Registering an organization (interface 2.8, 3.2, rule 4). The row, its owner, the account type, the session's choice
 * and the record are one transaction. A domain is verified at once only if the caller's own confirmed address is at
 * exactly that domain, and nobody else proved it before; of many who register it at once, one gets it verified.
 */
import type { SessionActor } from '../accounts/actor.ts'
import { auditActor } from '../accounts/audit.service.ts'
import { newToken } from '../lib/crypto.ts'
import { type AppError, conflict, forbidden } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { OrgsContext } from './context.ts'
import { isFreemail } from './domain.ts'
import { alignAccountType, countOwned, insertMember, lockPerson, selectOrg } from './members.queries.ts'
import { insertOrg } from './orgs.queries.ts'
import type { RegisterBody } from './orgs.schema.ts'
import { type Pending, whyPending } from './pending.ts'
import { type Act, recordAction, together, unknownCaller } from './producer.ts'
import { stepAside } from './step-aside.ts'

export const OWNED_MAX = 20

type Registered = {
  orgId: string
  verificationStatus: 'pending' | 'verified'
  skippedVerification: boolean
  pending: Pending | null
}

export async function registerOrg(
  ctx: OrgsContext,
  act: Act & { caller: SessionActor },
  input: RegisterBody,
): Promise<Registered> {
  const { user, sessionId } = act.caller
  if (!user.emailVerified) throw emailUnverified('register an organization')
  return together(ctx, async ({ db }) => {
    const now = ctx.clock.now()
    const person = await lockPerson(db, { userId: user.id })
    if (!person) throw unknownCaller()
    if ((await countOwned(db, user.id)) >= OWNED_MAX)
      throw conflict(`you can own at most ${OWNED_MAX} organizations`, { max: OWNED_MAX })

    const org = {
      id: newId(),
      name: input.name,
      orgType: input.org_type,
      domain: input.domain ?? null,
      websiteUrl: input.website_url ?? null,
      shopifyShop: input.shopify_shop ?? null,
      verificationToken: newVerificationToken(),
      createdAt: now,
    }
    const proved = person.emailVerified && isOwnDomain(person.emailKey, org.domain)
    if (proved) await stepAside(db, ctx.orgHooks, { domain: org.domain, at: now })
    const verified = proved && (await insertOrg(db, { ...org, verifiedVia: 'email_domain' }))
    if (!verified) await insertOrg(db, { ...org, verifiedVia: null })

    await insertMember(db, { orgId: org.id, userId: user.id, role: 'owner', now })
    await alignAccountType(db, user.id, now)
    // A session that has ended must not create an organization afterwards.
    if (!(await selectOrg(db, { sessionId, userId: user.id, orgId: org.id }))) throw unknownCaller()
    if (verified) await ctx.orgHooks.domainVerified(db, org.id, now)
    const verificationStatus = verified ? 'verified' : 'pending'
    await recordAction(
      db,
      { producer: { org, by: auditActor(act.caller) }, act, at: now },
      'org.registered',
      { org_type: org.orgType, domain: org.domain, verification_status: verificationStatus },
    )
    const pending = await whyPending(db, { ...org, verificationStatus })
    return { orgId: org.id, verificationStatus, skippedVerification: verified, pending }
  })
}

/** What the domain must show; see verification.service. */
export function newVerificationToken(): string {
  return newToken('souk_domain')
}

export function emailUnverified(what: string): AppError {
  return forbidden(`confirm your email first; then you can ${what}`, 'EMAIL_UNVERIFIED_CODE')
}

/** Compared whole: a mailbox at www.acme.example says nothing about acme.example. */
function isOwnDomain(emailKey: string, domain: string | null): boolean {
  return domain !== null && emailKey.slice(emailKey.lastIndexOf('@') + 1) === domain && !isFreemail(domain)
}
