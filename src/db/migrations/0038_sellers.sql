-- Who sells a product and where to is held in memory by each node, which follows the log of changes. "What changed" leaves
-- this aspect out: it tells of no fact that the public reads. A row names a product, or in `after` an organization, all of
-- whose products are meant. Triggers write them, so that no way to change a seller can forget to.
alter table changes drop constraint changes_aspect_check;
alter table changes add constraint changes_aspect_check
  check (aspect in ('created', 'price', 'offers', 'availability', 'discontinued', 'text', 'removed', 'embedded', 'sellers'));

create function note_sellers_of_products() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into changes (product_id, aspect)
      select distinct product_id, 'sellers' from fresh where status = 'verified';
  elsif tg_op = 'DELETE' then
    insert into changes (product_id, aspect)
      select distinct product_id, 'sellers' from gone where status = 'verified';
  else
    insert into changes (product_id, aspect)
      select product_id, 'sellers' from (
        (select org_id, product_id, status from gone except select org_id, product_id, status from fresh)
        union (select org_id, product_id, status from fresh except select org_id, product_id, status from gone)) altered
      where status = 'verified' group by product_id;
  end if;
  return null;
end $$;
create trigger relationships_begin after insert on product_relationships
  referencing new table as fresh for each statement execute function note_sellers_of_products();
create trigger relationships_end after delete on product_relationships
  referencing old table as gone for each statement execute function note_sellers_of_products();
create trigger relationships_change after update on product_relationships
  referencing old table as gone new table as fresh for each statement execute function note_sellers_of_products();

create function note_delivery_regions() returns trigger language plpgsql as $$
begin
  insert into changes (product_id, aspect) values (coalesce(new.product_id, old.product_id), 'sellers');
  return null;
end $$;
create trigger regions_begin after insert on product_pricing
  for each row when (new.rules ? 'delivery_regions') execute function note_delivery_regions();
create trigger regions_end after delete on product_pricing
  for each row when (old.rules ? 'delivery_regions') execute function note_delivery_regions();
create trigger regions_change after update of rules on product_pricing
  for each row when (old.rules -> 'delivery_regions' is distinct from new.rules -> 'delivery_regions')
  execute function note_delivery_regions();

create function note_seller() returns trigger language plpgsql as $$
begin
  insert into changes (aspect, after) values ('sellers', jsonb_build_object('org_id',
    case when tg_table_name = 'orgs' then to_jsonb(new) ->> 'id'
      else coalesce(to_jsonb(new), to_jsonb(old)) ->> 'org_id' end));
  return null;
end $$;
create trigger integrations_begin_or_end after insert or delete on agent_integrations
  for each row execute function note_seller();
create trigger integrations_change after update of is_managed, agent_card_url, pricing on agent_integrations
  for each row when (old.is_managed <> new.is_managed or (old.agent_card_url is null) <> (new.agent_card_url is null)
    or old.pricing -> 'delivery_regions' is distinct from new.pricing -> 'delivery_regions')
  execute function note_seller();
create trigger orgs_come_and_go after update of deactivated_at on orgs
  for each row when ((old.deactivated_at is null) <> (new.deactivated_at is null)) execute function note_seller();
