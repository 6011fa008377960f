-- How a draft's first rows are read, with the format and mapping that it was made for, so that pages need not read the
-- file. Null for drafts of before; it is made when one of them is next looked at.
alter table import_drafts add column preview jsonb;
