-- Sellers and people that come with the demo catalog. They are shown as demo wherever they are seen, answer for products
-- of the demo catalog alone, and go with it.
alter table orgs add column demo boolean not null default false;
alter table users add column demo boolean not null default false;
-- findDemoOrgs, stepAside: few rows among many
create index orgs_demo on orgs (domain) where demo;
create index users_demo on users (id) where demo;

-- What the demo catalog brought and no file of the operator's has named since.
create view demo_products as
  select p.id from products p
  where p.provenance -> 'title' ->> 'source' = 'Souk demo catalog'
    and not exists (select 1 from product_keys k where k.product_id = p.id);
