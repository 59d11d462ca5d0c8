-- Why a controller cannot be reached. Each probe of the outage updates it. Null: unknown, or the outage began before this column.
alter table controller_outages add column reason text;
