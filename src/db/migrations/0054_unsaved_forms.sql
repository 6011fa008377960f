-- Forms that were sent after their session had ended, for half an hour, until somebody has signed in again and decides.
-- Not logged: no backup holds them, no replica gets them, and a crash may lose them.
create unlogged table unsaved_forms (
  id uuid primary key,
  -- Sealed: what was typed, in which browser, and for which account.
  box text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
-- insertUnsavedForm, which keeps the newest
create index unsaved_forms_by_age on unsaved_forms (created_at, id);
