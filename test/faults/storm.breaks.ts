/** Ways to break the database behind everybody's back, each with the check that must find it and what it must say. */

export type Break = { what: string; check: string; sql: string; found: RegExp }

export const BREAKS: readonly Break[] = [
  {
    what: 'an acknowledged offer that is gone',
    check: 'states',
    sql: `delete from offers where id = (select id from offers limit 1)`,
    found: /^offer .* is not there, and could only be \{/,
  },
  {
    what: 'an offer with another price than the last acknowledged',
    check: 'states',
    sql: `update offers set price_cents = price_cents + 1 where id = (select id from offers limit 1)`,
    found: /^offer .*priceCents.* could only be/,
  },
  {
    what: 'a saved product that nobody saved',
    check: 'states',
    sql: `insert into saved_products (id, user_id, product_id, list)
      select gen_random_uuid(), u.id, p.id, 'ghost' from users u, products p limit 1`,
    found: /^saved .* nobody made it/,
  },
  {
    what: 'a revoked token that lives again',
    check: 'states',
    sql: `update link_tokens set revoked_at = case when revoked_at is null then now() end
      where id = (select id from link_tokens where name <> 'plugin' limit 1)`,
    found: /^token .* could only be/,
  },
  {
    what: 'an account whose confirmation is lost',
    check: 'states',
    sql: `update users set email_verified_at = case when email_verified_at is null then now() end
      where id = (select id from users where email_key like '%@new.trial.example' limit 1)`,
    found: /^account .*verified.* could only be/,
  },
  {
    what: 'a missing record of an action',
    check: 'records',
    sql: `delete from audit_log where id = (select id from audit_log where action = 'offer.created' limit 1)`,
    found: /^offer\.create .* has 0 records offer\.created, not 1$/,
  },
  {
    what: 'a second record of one action',
    check: 'records',
    sql: `insert into audit_log (id, actor_kind, user_id, org_id, action, detail, request_id)
      select gen_random_uuid(), actor_kind, user_id, org_id, action, detail, request_id
      from audit_log where action = 'pricing.changed' limit 1`,
    found: /has 2 records pricing\.changed/,
  },
  {
    what: 'a record of an offer that never was',
    check: 'records point',
    sql: `update audit_log set detail = jsonb_set(detail, '{offer_id}', to_jsonb(gen_random_uuid()::text))
      where id = (select id from audit_log where action = 'offer.edited' limit 1)`,
    found: /^offer\.edited .* points to offer_id/,
  },
  {
    what: 'an offer written apart from its record',
    check: 'whole',
    sql: `update offers set headline = headline where id = (select id from offers limit 1)`,
    found: /^offer .* was last written without a record/,
  },
  {
    what: 'a shown offer that no node was told of',
    check: 'whole',
    sql: `delete from changes c using audit_log a
      where a.action = 'offer.status_set' and a.detail->>'to' = 'active' and c.xmin = a.xmin`,
    found: /^offer .* was shown .* without a change being told/,
  },
  {
    what: 'a request for quote that never ends',
    check: 'rfqs',
    sql: `update rfqs set state = 'submitted', finished_at = null
      where id = (select id from rfqs where state = 'completed' limit 1)`,
    found: /^request for quote .* has not ended/,
  },
  {
    what: 'a quote without its rank',
    check: 'rfqs',
    sql: `update rfq_quotes set rank = null where id = (select id from rfq_quotes where rank is not null limit 1)`,
    found: /^request for quote .* quotes with ranks/,
  },
  {
    what: 'a quote that was changed after it was signed',
    check: 'rfqs',
    sql: `update rfq_quotes set quote = jsonb_set(quote::jsonb, '{signature}',
        to_jsonb(regexp_replace(quote->>'signature', '\\.[^.]{4}', '.eyJh')))::json
      where id = (select id from rfq_quotes where quote is not null limit 1)`,
    found: /^quote .* is not proved by the keys/,
  },
  {
    what: 'a try of a producer that was left without a verdict',
    check: 'rfqs',
    sql: `update rfq_attempts set verdict = null where rfq_id = (
      select a.rfq_id from rfq_attempts a join rfqs r on r.id = a.rfq_id where r.state = 'completed' limit 1)`,
    found: /^try .* has no verdict/,
  },
  {
    what: 'a quota that counts less than was served',
    check: 'quotas',
    sql: `update tool_days set taken = 0 where taken > 0`,
    found: /^tool calls of .* were served and only 0 counted/,
  },
  {
    what: 'a quota that counts more than the most',
    check: 'quotas',
    sql: `update tool_days set taken = 501`,
    found: /^tool_days of .* says 501/,
  },
  {
    what: 'a bundle that was counted and never served',
    check: 'quotas',
    sql: `update bundle_days set served = served + 3`,
    found: /^bundles of .* were counted/,
  },
  {
    what: 'messages that were not counted',
    check: 'quotas',
    sql: `delete from a2a_hours`,
    found: /^messages of .* were served and only 0 counted/,
  },
  {
    what: 'a job that runs without a lease',
    check: 'statuses',
    sql: `update jobs set state = 'running', finished_at = null, lease_id = gen_random_uuid(),
      lease_until = now() - interval '1 hour' where id = (select id from jobs where state = 'done' limit 1)`,
    found: /^job .* is running without a live lease/,
  },
  {
    what: 'a job that failed for good',
    check: 'statuses',
    sql: `update jobs set state = 'failed' where id = (select id from jobs where kind = 'mail.send' limit 1)`,
    found: /^job .* failed for good/,
  },
  {
    what: 'a change that points to no product',
    check: 'statuses',
    sql: `update changes set product_id = gen_random_uuid() where seq = (select min(seq) from changes where product_id is not null)`,
    found: /^changes points to product_id/,
  },
  {
    what: 'a search that showed a product and was not counted',
    check: 'statuses',
    sql: `update product_impressions set impressions = impressions - 1
      where product_id = (select min(product_id::text)::uuid from product_impressions)`,
    found: /^product .* was shown .* and counted/,
  },
  {
    what: 'a mail that was never delivered',
    check: 'mails',
    sql: `update users set email_key = 'unheard-of@new.trial.example'
      where id = (select id from users where email_key like '%@new.trial.example' limit 1)`,
    found: /^unheard-of@new\.trial\.example never got the mail/,
  },
  {
    what: 'a node that shows an offer which is no more',
    check: 'freshness',
    sql: `update offers set status = 'expired' where status = 'active'`,
    found: /offers of .* the database has \[\]/,
  },
  {
    what: 'a node that shows an old text',
    check: 'freshness',
    sql: `update products set description = 'changed behind its back', updated_at = now()
      where id = (select id from products limit 1)`,
    found: /the database "changed behind its back"/,
  },
]
