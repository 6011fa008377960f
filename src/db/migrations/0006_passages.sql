-- Vectors of a product's sentences, in int8 (see passages in vectors.queries.ts): they refine the order of what the
-- two vectors of the whole product have found. Old rows are made again because the hash of their texts is another.
alter table product_vectors add column passages bytea not null default '';

-- What was searched for and what was answered. Written behind the answer, in batches.
create table search_queries (
  -- The query_id of the answer.
  id uuid primary key,
  at timestamptz not null,
  query text not null,
  filters jsonb not null default '{}',
  -- Correlates the searches of one anonymous visit; given by the caller, never a credential.
  session_id text,
  face text not null check (face in ('rest', 'web', 'tools', 'a2a', 'ucp')),
  mode text not null check (mode in ('semantic', 'keyword')),
  -- Best first, at most one page.
  product_ids uuid[] not null,
  offset_by int not null,
  ms real not null
);
create index search_queries_by_time on search_queries (at);

create table search_clicks (
  id uuid primary key,
  at timestamptz not null,
  query_id uuid not null references search_queries on delete cascade,
  product_id uuid not null,
  -- From 1; null when the product was not among the results of this query.
  position int
);
create index search_clicks_by_query on search_clicks (query_id);
