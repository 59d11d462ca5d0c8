-- Runs in steps, without a transaction.
-- People can order templates. Null until then, and for templates that were added later: these come last, the shortest first.
-- One template of each site, and one of those for all sites, can be the default of the desk.
alter table templates
  add column if not exists position integer,
  add column if not exists is_default boolean not null default false;
create unique index concurrently templates_one_default on templates (site_id) nulls not distinct where is_default;
