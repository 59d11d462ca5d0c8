-- The types of events that a webhook gets. `webhooks/event-types.ts` lists them.
alter table webhooks
  add events text[] not null default '{voucher.created}' check (cardinality(events) > 0),
  -- The language of the sentences in chats.
  add language text not null default 'de' check (language in ('de', 'en'));

update webhooks set events = '{voucher.created,controller.unreachable,controller.reachable}' where reports_controllers;

alter table webhooks drop reports_controllers;

-- The sites that the webhook sees of the controller that the event is about. Null for other events.
alter table deliveries add site_ids integer[];

-- Events store each voucher with its reference. The ids of API v2 are written when an event is sent.
update events
   set data = data - 'voucher_ids' - 'count' || jsonb_build_object('vouchers',
         (select coalesce(jsonb_agg(jsonb_build_object('id', told.id, 'reference', null)), '[]')
            from jsonb_array_elements_text(data -> 'voucher_ids') as told (id)))
 where data ? 'voucher_ids';

-- Whether the first use and the end of the minutes were noted for events, so that each is told once. Vouchers that have
-- ended already keep `true`: nobody is told of them now.
alter table vouchers
  add first_use_told boolean not null default true,
  add end_told boolean not null default true;
alter table vouchers alter first_use_told set default false, alter end_told set default false;
update vouchers set first_use_told = used_count > 0, end_told = false
 where status in ('valid', 'used') and (expires_at is null or expires_at > now());

-- Vouchers whose minutes run. The sweep finds those that have ended.
create index vouchers_ending on vouchers (expires_at)
  where status in ('valid', 'used') and not end_told and expires_at is not null;
