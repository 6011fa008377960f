-- Files over the whole catalog read it in pieces: the products of one category between two slugs.
create index products_by_category_slug on products (category_id, slug collate "C");

-- findCuts: a number from 0 to 65535 that a slug has by itself. The small ones are where categories are cut in pieces, so
-- that the cuts are found without looking at the other products. Immutable because a database never changes its encoding.
create function slug_spot(slug text) returns int language sql immutable strict parallel safe as
  $$ select get_byte(hash, 0) * 256 + get_byte(hash, 1) from sha256(convert_to(slug, 'UTF8')) as hash $$;
create index products_by_slug_spot on products (slug_spot(slug), category_id);

-- findCategoryTotals: counted and priced from the index alone, however wide the products are.
create index products_by_category_price on products (category_id, price_low_cents, price_high_cents);
