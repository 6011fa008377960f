-- What the embedder made of a product. Two vectors: of the whole profile, and of its title, category and best uses.
-- Kept by model, so that vectors of two models are never compared, and by a hash of the texts, so that a vector is
-- known to be stale without being made again.
create table product_vectors (
  product_id uuid not null references products on delete cascade,
  model text not null,
  text_hash bytea not null,
  -- 32-bit floats, little-endian, unit length.
  full_vector bytea not null,
  short_vector bytea not null,
  -- The product's state that was embedded: when it moves on, the vectors are looked at again.
  source_updated_at timestamptz not null,
  primary key (product_id, model)
);

-- Followers load new vectors through the same log as everything else; "what changed" leaves this aspect out.
alter table changes drop constraint changes_aspect_check;
alter table changes add constraint changes_aspect_check
  check (aspect in ('created', 'price', 'offers', 'availability', 'discontinued', 'text', 'removed', 'embedded'));
