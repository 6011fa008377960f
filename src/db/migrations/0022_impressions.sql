-- How often searches showed a product, by the day: counted as searches are logged. Adding it up from the log took as long
-- as the log was large, for every look at an organization's figures; and the log is swept long before these counts are.
create table product_impressions (
  product_id uuid not null references products on delete cascade,
  day date not null,
  impressions bigint not null,
  primary key (product_id, day)
) with (fillfactor = 70);
-- deleteImpressionsBefore
create index product_impressions_by_day on product_impressions (day);

insert into product_impressions (product_id, day, impressions)
select p.id, (q.at at time zone 'UTC')::date, count(*)
from search_queries q
  join search_answers a on a.id = q.answer_id
  cross join lateral unnest(a.product_ids) as shown (product_id)
  join products p on p.id = shown.product_id
group by 1, 2;
