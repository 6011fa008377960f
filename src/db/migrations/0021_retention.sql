-- What is kept for so many days (SOUK_KEEP) is deleted in batches, by an index each.

-- deleteAuditBefore, deleteNobodysTries
create index audit_by_time on audit_log (at);

-- deleteAnswersBefore. Answers are written in the order of their time, as askings are.
create index search_answers_by_time on search_answers using brin (at);

-- What producers were sent and answered is deleted after a while; the request and its quotes stay. Whoever reads the
-- request must know it, or it would look as if nobody had been asked.
alter table rfqs add column attempts_deleted boolean not null default false;
-- deleteAttemptsOfEnded
create index rfqs_with_attempts on rfqs (finished_at) where finished_at is not null and not attempts_deleted;

-- deleteOldChanges: has anybody saved the product?
create index saved_products_by_product on saved_products (product_id);
