/** Every request for quote has ended as it may, its quotes are ranked without a gap and signed, and anyone who was to be told is. */
import type { Jwks } from '../../src/lib/jws.ts'
import { verifyQuote } from '../../src/rfq/quote-signature.ts'
import { type AuditContext, type Check, findTexts } from './check.ts'

const QUERIES = [
  `select 'request for quote ' || id || ' has not ended' as text from rfqs where state = 'submitted'`,
  `select 'request for quote ' || id || ' failed: ' || coalesce(failure, '') as text from rfqs where state = 'failed'`,
  `select 'request for quote ' || rfq_id || ' has ' || count(*) || ' quotes with ranks ' || coalesce(string_agg(rank::text, ',' order by rank), 'none') as text
   from rfq_quotes q join rfqs r on r.id = q.rfq_id where r.state = 'completed'
   group by rfq_id
   having count(rank) <> count(*) or min(rank) <> 1 or max(rank) <> count(*) or count(distinct rank) <> count(*)`,
  `select 'quote ' || q.id || ' of a completed request is not signed' as text
   from rfq_quotes q join rfqs r on r.id = q.rfq_id
   where r.state = 'completed' and (q.quote is null or q.quote->>'signature' is null)`,
  `select 'quote ' || q.id || ' has rank ' || q.rank || ' in a request that is ' || r.state as text
   from rfq_quotes q join rfqs r on r.id = q.rfq_id where r.state <> 'completed' and q.rank is not null`,
  // The last try of each producer: an earlier one may have been cut off with its node, which is why there is a later one.
  `select 'try ' || a.try || ' of organization ' || a.org_id || ' in completed request ' || a.rfq_id || ' has no verdict' as text
   from rfq_attempts a join rfqs r on r.id = a.rfq_id
   where r.state = 'completed' and a.verdict is null
     and not exists (select 1 from rfq_attempts later
       where later.rfq_id = a.rfq_id and later.org_id = a.org_id and later.try > a.try)`,
  `select 'request ' || rfq_id || ' has a quote of organization ' || org_id || ' that was never asked' as text
   from rfq_quotes q where not exists (select 1 from rfq_attempts a where a.rfq_id = q.rfq_id and a.org_id = q.org_id)`,
  `select 'request ' || id || ' sent ' || pushes_sent || ' notifications' as text from rfqs where pushes_sent > 10`,
]

export const RFQS: Check = {
  name: 'rfqs',
  async run(ctx) {
    const found = await Promise.all(QUERIES.map((sql) => findTexts(ctx.pool, sql)))
    return [...found.flat(), ...(await badSignatures(ctx)), ...(await lostTasks(ctx))]
  },
}

async function badSignatures({ pool, addresses }: AuditContext): Promise<string[]> {
  const { rows } = await pool.query<{ id: string; rfq_id: string; rank: number; signature: string }>(
    `select q.id, r.session_id as rfq_id, q.rank, q.quote->>'signature' as signature
     from rfq_quotes q join rfqs r on r.id = q.rfq_id where q.quote is not null`,
  )
  const breaches: string[] = []
  for (const address of addresses) {
    const jwks = (await (await fetch(`${address}/.well-known/jwks.json`)).json()) as Jwks
    for (const { id, rfq_id, rank, signature } of rows) {
      const proof = verifyQuote(signature ?? '', jwks, new Date())
      if (!proof.ok) breaches.push(`quote ${id} is not proved by the keys of ${address}: ${proof.message}`)
      else if (proof.promise.rfq_id !== rfq_id || proof.promise.rank !== rank)
        breaches.push(
          `quote ${id} was signed for request ${proof.promise.rfq_id} with rank ${proof.promise.rank}`,
        )
    }
  }
  return breaches
}

/** What was acknowledged by its id is there, once for each message, and its end was told to who wanted to know. */
async function lostTasks({ pool, journal, agents }: AuditContext): Promise<string[]> {
  const asked = journal.writes.filter(({ act }) => act.startsWith('rfq.'))
  const { rows } = await pool.query<{ id: string }>('select id from rfqs')
  const there = new Set(rows.map(({ id }) => id))
  return asked.flatMap(({ requestId, outcome, said: { task, push } }) => {
    if (outcome !== 'acknowledged' || typeof task !== 'string') return []
    if (!there.has(task))
      return `request for quote ${task} (request ${requestId}) was acknowledged and is not there`
    const untold = push === true && agents !== null && !agents.pushed().has(task)
    return untold ? `the end of ${task} (request ${requestId}) was never told to its asker` : []
  })
}
