-- Repeated questions share their answer: what was asked and found is kept once, and each asking is a narrow row. Old
-- askings keep the answer they had, one each.
create table search_answers (
  id uuid primary key,
  at timestamptz not null,
  query text not null,
  filters jsonb not null default '{}',
  face text not null check (face in ('rest', 'web', 'tools', 'a2a', 'ucp')),
  mode text not null check (mode in ('semantic', 'keyword')),
  -- Best first, at most one page.
  product_ids uuid[] not null,
  offset_by int not null
);
insert into search_answers (id, at, query, filters, face, mode, product_ids, offset_by)
  select id, at, query, filters, face, mode, product_ids, offset_by from search_queries;

-- Not a reference: it would be checked for every asking, and answers outlive their last asking by a day anyway.
alter table search_queries add column answer_id uuid;
update search_queries set answer_id = id;
alter table search_queries
  alter column answer_id set not null,
  drop column query,
  drop column filters,
  drop column face,
  drop column mode,
  drop column product_ids,
  drop column offset_by;

-- Askings are written in the order of their time: a summary of each stretch of the table finds them as well.
drop index search_queries_by_time;
create index search_queries_by_time on search_queries using brin (at);
