-- What people look for in vain: how well an answer matches, and the product that comes closest when nothing fits. Null for
-- answers of before, of older nodes, and for sets, which say neither. Not a reference: products may go, the log stays.
alter table search_answers
  add column match text check (match in ('good', 'near', 'none')),
  add column closest_id uuid;
