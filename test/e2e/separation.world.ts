/**
 * Organizations that have everything an organization can have, with ids and words that no other row or answer holds by
 * chance, for tests that look for traces of one in what another is told.
 */
import { createOutbound } from '../../src/lib/outbound.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { submitRfq } from '../../src/rfq/rfq.service.ts'
import { createRfqJob } from '../../src/rfq/run.job.ts'
import { createMailbox, signIn } from '../accounts.ts'
import { addMember, call, createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createOauthWorld } from './oauth.world.ts'
import { STRANGER } from './rfq.world.ts'

export type Settled = {
  org: TestOrg
  name: string
  domain: string
  /** `<category>/<slug>` of the product it sells. */
  slug: string
  /** Stands in its rules and in its offer's headline. */
  mark: string
  member: { userId: string; email: string }
  invited: string
  invitationId: string
  invitationToken: string
  spareTokenId: string
  relationshipId: string
  offerId: string
  enrichmentId: string
  rfqId: string
  /** Its newest entry of history. */
  auditId: string
}

export async function createSeparationWorld() {
  const nowhere = createOutbound({
    allow: [],
    resolve: async (name) => {
      throw new Error(`no test asks the world for ${name}`)
    },
  })
  const world = await createOauthWorld({ outbound: nowhere })
  const mailbox = createMailbox(world)
  const { pool } = world.database
  const { tokens, person } = await world.connected()
  let made = 0

  async function send(org: TestOrg, method: string, path: string, body?: Record<string, unknown>) {
    const answer = await call(world, org.session, method, path, body)
    if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async function settle(name: string): Promise<Settled> {
    const n = ++made
    const mark = `${name.toLowerCase()}-mark`
    const domain = `${mark}.example`
    const slug = `shelves/shelf-${n}`
    const [category = '', ownSlug = ''] = slug.split('/')
    const product = await addProduct(world, {
      category,
      slug: ownSlug,
      title: `Shelf ${n}`,
      list_price: 100,
    })
    const org = await createOrg(world, { name, domain })
    const relationshipId = await relate(world, org, product)
    const invited = `invited-${n}@${domain}`
    const member = await addMember(world, org, 'editor')
    const { rows } = await pool.query<{ email: string }>('select email from users where id = $1', [
      member.userId,
    ])
    await send(org, 'PATCH', '/api/org/team/', { email: invited, role: 'viewer' })
    const link = await mailbox.link(invited)
    const { invitations } = (await send(org, 'GET', '/api/org/team/')) as { invitations: [{ id: string }] }
    await send(org, 'PATCH', '/api/org/agent-integration/', {
      is_managed: true,
      managed_rules: { note: mark },
    })
    await send(org, 'PATCH', '/api/org/pricing/', { product_slug: slug, lead_time_days: 77 })
    const offer = await send(org, 'POST', '/api/offers/create/', {
      product_slug: slug,
      headline: mark,
      destination_url: `https://${domain}/`,
      price_usd: 90,
    })
    await send(org, 'PATCH', '/api/offers/update/', { offer_id: offer.offer_id, status: 'active' })
    const enrichment = await send(org, 'POST', '/api/org/enrichment/', {
      product_slug: slug,
      fields: { model: mark },
    })
    const spare = await send(org, 'POST', '/api/org/link-tokens/', { name: 'spare' })
    const rfqId = await askFor(slug)
    const audit = (await send(org, 'GET', '/api/org/audit/')) as { entries: [{ id: string }] }
    return {
      org,
      name,
      domain,
      slug,
      mark,
      member: { userId: member.userId, email: rows[0]?.email ?? '' },
      invited,
      invitationId: invitations[0].id,
      invitationToken: new URL(link, 'http://any.example').searchParams.get('token') ?? '',
      spareTokenId: String(spare.id),
      relationshipId,
      offerId: String(offer.offer_id),
      enrichmentId: String(enrichment.enrichment_id),
      rfqId,
      auditId: audit.entries[0].id,
    }
  }

  async function askFor(slug: string): Promise<string> {
    const request = RfqRequest.parse({ product_slug: slug })
    const { rfqId } = await submitRfq(world.rfq, STRANGER, { request })
    const run = { signal: AbortSignal.timeout(10_000), attempt: 1, jobId: '1', log: world.logged.log }
    await createRfqJob(world.rfq).run({ rfqId }, run)
    return rfqId
  }

  const idsOf = (of: Settled) => [
    of.org.id,
    of.org.ownerId,
    of.org.tokenId,
    of.member.userId,
    of.invitationId,
    of.spareTokenId,
    of.relationshipId,
    of.offerId,
    of.enrichmentId,
    of.rfqId,
  ]

  return {
    ...world,
    accessToken: tokens.access_token,
    connectedId: person.id,
    settle,
    /** What nobody else is told. */
    marksOf: (of: Settled) => [...idsOf(of), of.auditId, of.name, of.mark, of.member.email],
    /** Every row of every table in which one of its ids stands. */
    async rowsOf(of: Settled): Promise<string[]> {
      const { rows: tables } = await pool.query<{ name: string }>(
        `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
      )
      const found = await Promise.all(
        tables.map(({ name }) =>
          pool.query<{ row: string }>(
            `select '${name} ' || t::text as row from ${name} t where t::text ~ $1`,
            [idsOf(of).join('|')],
          ),
        ),
      )
      return found.flatMap(({ rows }) => rows.map(({ row }) => row)).sort()
    },
    async signInAs(email: string) {
      return { cookie: (await signIn(world, { email, verified: true })).cookie }
    },
  }
}
