-- The claims that one confirmation made, so that they can be taken back together.
alter table product_relationships add column batch_id uuid;
-- findClaimBatches, lockClaimBatch
create index product_relationships_by_batch on product_relationships (org_id, batch_id) where batch_id is not null;

-- Every domain that a shop link lies in: of https://www.acme.example/x these are www.acme.example, acme.example, example.
create function shop_domains(shops jsonb) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct domain), '{}') from (
    select substring(lower(shop ->> 'url') from '^https?://(?:[^/?#@]*@)?([^/?#:]+)') as host
    from jsonb_array_elements(shops) shop
  ) named, lateral (
    select array_to_string((string_to_array(host, '.'))[first:], '.') as domain
    from generate_series(1, cardinality(string_to_array(host, '.'))) first
  ) domains
$$;
-- findClaimable
create index products_by_shop_domain on products using gin (shop_domains(where_to_buy));
