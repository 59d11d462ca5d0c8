-- A keyed hash of the host in the address of a webhook. Deliveries to one host share a limited number of places. Null or outdated
-- if a process of an older version wrote the address: the next delivery corrects it.
alter table webhooks add host_id text;
