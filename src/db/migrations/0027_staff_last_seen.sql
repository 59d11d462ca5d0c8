-- When the person last used the web app. Sessions are deleted at sign-out, so they cannot tell.
alter table staff add column last_seen_at timestamptz(3);
update staff set last_seen_at = (select max(last_seen_at) from staff_sessions where staff_id = staff.id);
