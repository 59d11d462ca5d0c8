-- The types of events that a webhook gets. `webhooks/event-types.ts` lists them.
alter table webhooks
  add events text[] not null default '{voucher.created}' check (cardinality(events) > 0),
  -- The language of the sentences in chats.
  add language text not null default 'de' check (language in ('de', 'en'));

update webhooks set events = '{voucher.created,controller.unreachable,controller.reachable}' where reports_controllers;

alter table webhooks drop reports_controllers;
