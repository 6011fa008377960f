-- What managed quotes of the organization go by where a product has no rule of its own, by the interface's names.
-- managed_rules is kept as it was sent and is no place for it.
alter table agent_integrations add column pricing jsonb not null default '{}';

-- When and by whom the limits were last set; null where none are, and where they were set before this was kept.
alter table product_pricing
  add column floors_set_at timestamptz,
  add column floors_set_by uuid references users on delete set null;
-- deleting an account
create index product_pricing_by_setter on product_pricing (floors_set_by) where floors_set_by is not null;

-- Whether a limit raised the price of a managed quote or stopped it; null for agents and for earlier attempts.
alter table rfq_attempts add column limited boolean;
