-- A node keeps its search index in files. Each set of files has a mark here, placed after all that the files know of was
-- committed: where the mark is, so is that. A copy of the row in another database, or one that was restored, is told by
-- the transaction that wrote it: the files that belong to such a row are not used.
create table index_marks (
  id uuid primary key,
  -- The transaction and the database that this row was first written in, as texts: a backup must not renew them.
  xid text not null,
  database text not null,
  at timestamptz not null default now()
);
-- removeMarks
create index index_marks_by_time on index_marks (at);
