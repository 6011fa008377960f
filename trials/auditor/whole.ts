/**
 * What belongs together was written together. A row carries the id of the transaction that wrote it (`xmin`), so it can be
 * told whether an action, its record and its line in `changes` are of one transaction, or only happen to be there.
 */
import { type Check, findTexts } from './check.ts'

const QUERIES = [
  `select 'offer ' || o.id || ' was last written without a record' as text from offers o
   where not exists (select 1 from audit_log a where a.detail->>'offer_id' = o.id::text and a.xmin = o.xmin)`,
  `select 'offer ' || (a.detail->>'offer_id') || ' was shown (request ' || coalesce(a.request_id, 'unknown') || ') without a change being told' as text
   from audit_log a where a.action = 'offer.status_set' and a.detail->>'to' = 'active'
     and not exists (select 1 from changes c where c.aspect = 'offers' and c.xmin = a.xmin)`,
  `select 'proposal ' || (a.detail->>'enrichment_id') || ' was approved without a change being told' as text
   from audit_log a where a.action = 'enrichment.approved'
     and not exists (select 1 from changes c where c.xmin = a.xmin)`,
  `select 'account ' || u.email_key || ' has no record of its making' as text from users u
   where u.email_key like '%@new.trial.example'
     and not exists (select 1 from audit_log a where a.action = 'account.created' and a.user_id = u.id)`,
  `select 'account ' || u.email_key || ' was never sent a link' as text from users u
   where u.email_key like '%@new.trial.example' and not exists (select 1 from mail_tokens m where m.user_id = u.id)`,
  `select 'request for quote ' || r.id || ' has no record' as text from rfqs r
   where r.user_id is not null
     and not exists (select 1 from audit_log a where a.action = 'rfq.submitted' and a.detail->>'task_id' = r.id::text)`,
  `select 'request for quote ' || r.id || ' has no job' as text from rfqs r
   where not exists (select 1 from jobs j where j.kind = 'rfq.run' and j.payload->>'rfqId' = r.id::text)`,
  `select 'link token ' || t.id || ' has no record of its making' as text from link_tokens t
   where t.name <> 'plugin'
     and not exists (select 1 from audit_log a where a.action = 'token.created' and a.detail->>'token_id' = t.id::text)`,
]

export const WHOLE: Check = {
  name: 'whole',
  run: async ({ pool }) => (await Promise.all(QUERIES.map((sql) => findTexts(pool, sql)))).flat(),
}
