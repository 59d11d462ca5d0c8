-- The audit page filters by who acted and by what was done, newest first.
create index audit_by_actor on audit (actor_id, at desc, id desc) where actor_id is not null;
create index audit_by_action on audit (action, at desc, id desc);
-- Groups of actions: `site` has `site.added`, `site.changed` and so on.
create index audit_by_group on audit (split_part(action, '.', 1), at desc, id desc);
-- The filter by target also continues after a cursor.
drop index audit_by_target;
create index audit_by_target on audit (target_kind, target_id, at desc, id desc);
