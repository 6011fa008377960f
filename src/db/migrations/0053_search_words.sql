-- What SOUK_SEARCH=postgres searches: the words of products, and counts of what the catalog is called by. Derived from
-- products, filled from the log of changes by the nodes that run in that mode, empty in all others, and filled anew when
-- it is missing or of another form. No other table is referred to and no order is unique over rows of several products,
-- so that a sharded server can distribute the first two tables by product_id and the third by key.

create table search_words (
  product_id uuid primary key,
  slug text not null,
  category text not null,
  -- In lower case, as filters name it.
  brand text,
  price_low_cents bigint,
  price_high_cents bigint,
  rating double precision,
  reviews integer,
  discontinued boolean not null,
  listed boolean not null,
  -- A hash of what a node reads of the product.
  version text not null,
  -- Terms of title, brand and model (A) and category (B).
  names tsvector not null,
  -- The same, with specs (C) and texts (D).
  words tsvector not null
);
-- The first filling ends with the indexes of names and words (createWordIndexes): made from all rows at once, they take a
-- tenth of the time.
-- findMostReviewed, countWithin
create index search_words_by_category on search_words (category, reviews desc nulls last);
create index search_words_by_brand on search_words (brand);
create index search_words_by_reviews on search_words (reviews desc nulls last, product_id);
-- findBySlugs
create index search_words_by_slug on search_words (slug);

-- What a node makes of a product's profile, ready to be ranked. Apart, so that searching passes over narrow rows.
create table search_products (
  product_id uuid primary key,
  version text not null,
  prepared text not null
);

-- How many products have each term, name or kind of thing. `written`: a name as products write it, a word's term.
create table search_counts (
  key text not null,
  kind text not null,
  products integer not null,
  written text,
  primary key (key, kind)
);

-- One row, once a node has run in that mode. Written in the transaction of what it tells of; `xid` and `database` name
-- that transaction, so that a row that was restored from a backup is not believed.
create table search_words_state (
  one boolean primary key default true check (one),
  form text not null,
  -- Everything before it in the log of changes is in the tables above.
  position text not null,
  filled_to uuid,
  ready boolean not null default false,
  products integer not null default 0,
  -- By field: words over all products, and products that have the field.
  field_words double precision[] not null default '{}',
  field_products double precision[] not null default '{}',
  xid text not null,
  database text not null
);
