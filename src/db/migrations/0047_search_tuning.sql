-- What the operator says of search: words that mean the same, products that come first for a query, and products, brands
-- or categories that count for more or less.
create table search_rules (
  id uuid primary key,
  kind text not null check (kind in ('synonym', 'pin', 'boost')),
  -- Of a pin the query it is for, of a boost the words a query must have; of synonyms the words, with commas between.
  query text not null default '',
  product_id uuid references products on delete cascade,
  brand_id uuid references brands on delete cascade,
  category_id uuid references categories on delete cascade,
  -- Of synonyms what a word counts beside the one that was asked for, of a boost what it adds to the score, of a pin its place.
  weight double precision not null,
  created_at timestamptz not null default now(),
  check (num_nonnulls(product_id, brand_id, category_id) = case kind when 'synonym' then 0 else 1 end)
);
create index search_rules_by_product on search_rules (product_id) where product_id is not null;
create index search_rules_by_brand on search_rules (brand_id) where brand_id is not null;
create index search_rules_by_category on search_rules (category_id) where category_id is not null;

-- What the operator says are good answers to a query: 3 is the best. A change of the rules is measured by them.
create table search_judgements (
  query text not null,
  product_id uuid not null references products on delete cascade,
  grade smallint not null check (grade between 1 and 3),
  primary key (query, product_id)
);
create index search_judgements_by_product on search_judgements (product_id);

-- findAuditBatch: what one action over many rows recorded
create index audit_by_batch on audit_log ((detail->>'batch')) where detail->>'batch' is not null;
