/** Rows that must not be, each with a part of the rule that it breaks. What the fuzzer has left behind is what is broken. */

export type RowBreak = { what: string; rule: string; sql: string }

const anOffer = 'where id = (select id from offers limit 1)'

export const ROW_BREAKS: readonly RowBreak[] = [
  {
    what: 'an offer written apart from every record',
    rule: 'together with a record',
    sql: `update offers set headline = headline ${anOffer}`,
  },
  {
    what: 'a blank headline',
    rule: 'a headline has 1 to 60',
    sql: `update offers set headline = ' ' ${anOffer}`,
  },
  {
    what: 'a price beyond counting',
    rule: 'whole cents',
    sql: `update offers set price_cents = 9007199254740993 ${anOffer}`,
  },
  {
    what: 'a type of offer that is there twice',
    rule: 'types of an offer',
    sql: `update offers set offer_types = '{bogo,bogo}' ${anOffer}`,
  },
  {
    what: 'an offer that leads to a script',
    rule: 'leads to the web',
    sql: `update offers set destination_url = 'javascript:x' ${anOffer}`,
  },
  {
    what: 'an offer without an end in time',
    rule: 'windows of offers',
    sql: `update offers set expires_at = 'infinity' ${anOffer}`,
  },
  {
    what: 'a slug with capitals',
    rule: 'slugs are',
    sql: `update products set slug = 'A--b' where id = (select id from products limit 1)`,
  },
  {
    what: 'a headline of two lines',
    rule: 'one line',
    sql: `update offers set headline = E'a\\nb' ${anOffer}`,
  },
  {
    what: 'a domain with a path',
    rule: 'domain in its plain form',
    sql: `update orgs set domain = 'a.example/b' where id = (select id from orgs limit 1)`,
  },
  {
    what: 'a member who is no producer',
    rule: 'is a producer',
    sql: `update users set account_type = 'consumer' where id = (select user_id from org_members limit 1)`,
  },
  {
    what: 'a reserve price in the open',
    rule: 'never kept in the open',
    sql: `update agent_integrations set managed_rules = '{"reserve_price_usd":5}' where org_id = (select org_id from agent_integrations limit 1)`,
  },
  {
    what: 'a discount of more than all',
    rule: 'bounds of a product',
    sql: `insert into product_pricing (org_id, product_id, rules) select o.id, p.id, '{"max_discount_pct":101}' from orgs o, products p where not exists (select 1 from product_pricing r where r.org_id = o.id and r.product_id = p.id) limit 1`,
  },
  {
    what: 'a card at a domain of others',
    rule: 'own proved domain',
    sql: `update agent_integrations set agent_card_url = 'https://elsewhere.example/card' where org_id = (select i.org_id from agent_integrations i join orgs o on o.id = i.org_id where o.domain is not null limit 1)`,
  },
  {
    what: 'a person with too many lists',
    rule: 'at most 500 products',
    sql: `insert into saved_products (id, user_id, product_id, list) select gen_random_uuid(), (select id from users limit 1), (select id from products limit 1), 'list ' || n from generate_series(1, 21) n`,
  },
  {
    what: 'an organization with too many offers',
    rule: 'at most 500 offers',
    sql: `insert into offers (id, org_id, product_id, headline, destination_url) select gen_random_uuid(), org_id, product_id, headline, destination_url from offers, generate_series(1, 501) ${anOffer}`,
  },
  {
    what: 'an offer that nobody made',
    rule: 'exactly one record',
    sql: `delete from audit_log where action = 'offer.created'`,
  },
  {
    what: 'an id of another kind',
    rule: 'UUIDv7',
    sql: `insert into offers (id, org_id, product_id, headline, destination_url) select gen_random_uuid(), org_id, product_id, headline, destination_url from offers limit 1`,
  },
  {
    what: 'a client that is led back in the open',
    rule: 'led back by https',
    sql: `update oauth_clients set redirect_uris = '{http://elsewhere.example/}' where client_id = (select client_id from oauth_clients limit 1)`,
  },
]
