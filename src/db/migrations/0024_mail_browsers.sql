-- The browser a mail was asked for in, as the hash of a cookie of its own. Opening the link acts in that browser alone.
-- Null for mails of before and of older nodes: their links show a button.
alter table mail_tokens add column browser_hash text;
