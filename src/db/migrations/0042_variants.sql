-- The variant that a buyer asked for, as it was then: its id, name and numbers. Null for the product as such.
alter table rfqs add column variant jsonb;

-- The variant that an offer is for, by its id in the product; null for all. The name is the one it had when it was set:
-- the catalog may drop the variant.
alter table offers
  add column variant text,
  add column variant_name text;
