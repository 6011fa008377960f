-- Hidden products are kept, with all that hangs on them, and nobody outside sees them. Everything that is shown reads from
-- the view; a migration that adds a column to products makes the view anew.
alter table products add column hidden_at timestamptz;
alter table categories add column hidden_at timestamptz;
create view shown_products as
  select p.* from products p
  where p.hidden_at is null and not exists (
    select 1 from categories c where c.id = p.category_id and c.hidden_at is not null);

-- findCategoryTotals: counts and prices of what is shown, from the index alone
drop index products_by_category_price;
create index products_by_category_price on products (category_id, price_low_cents, price_high_cents) where hidden_at is null;

-- Where a product stood before it was renamed, moved or joined to another; and what was deleted, for which nothing stands.
create table product_addresses (
  category_slug text not null,
  slug text not null,
  product_id uuid references products on delete set null,
  at timestamptz not null default now(),
  primary key (category_slug, slug)
);
create index product_addresses_by_product on product_addresses (product_id);
create index product_addresses_by_slug on product_addresses (slug);

create table category_addresses (
  slug text primary key,
  category_id uuid references categories on delete set null,
  at timestamptz not null default now()
);
create index category_addresses_by_category on category_addresses (category_id);
