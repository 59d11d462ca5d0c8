-- When a sync last deleted the ended vouchers of a site on its controller; null if it should do so next.
alter table sites add column ended_deleted_at timestamptz(3);
