-- What readers say is wrong with a product, until an operator closes it.
create table mistake_reports (
  id uuid primary key,
  product_id uuid not null references products on delete cascade,
  kind text not null check (kind in ('price', 'spec', 'picture', 'wrong_product', 'discontinued', 'other')),
  text text not null,
  -- Where the reader wants an answer.
  email text,
  -- Who was signed in. Their reports go with the account, because what they wrote may be about themselves.
  user_id uuid references users on delete cascade,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  closed_by uuid,
  outcome text check (outcome in ('fixed', 'rejected')),
  -- For operators only.
  note text,
  check ((outcome is null) = (closed_at is null))
);
-- findReports, countOpen, findQueues, deleteReportsBefore
create index mistake_reports_open on mistake_reports (created_at) where closed_at is null;
-- findReports, deleteReportsBefore
create index mistake_reports_closed on mistake_reports (closed_at) where closed_at is not null;
-- findOpenOf, and the end of a product
create index mistake_reports_by_product on mistake_reports (product_id);
-- findOwnReports, and the end of an account
create index mistake_reports_by_user on mistake_reports (user_id) where user_id is not null;
