-- Old rows are found by the time from which they are kept. The other tables have such an index already.
create index batches_finished on batches (finished_at) where finished_at is not null;
create index controller_outages_ended on controller_outages (until) where until is not null;
create index api_key_days_by_day on api_key_days (day);
