-- The variant that a person watches, by its id in the product, with the name it had; null for the product as such.
-- out_of_stock: it was, as far as its owner knows, so that they are told when it is back.
alter table saved_products
  add column variant text,
  add column variant_name text,
  add column out_of_stock boolean not null default false;

-- lookForNews: by id
drop index saved_products_targets;
create index saved_products_watched on saved_products (id)
  where target_price_cents is not null or variant is not null;
