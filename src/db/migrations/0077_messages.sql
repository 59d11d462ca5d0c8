-- Data of a guest, encrypted. Starts of the service and `doctor` do not decrypt it, because there may be very many of these values.
create domain encrypted_guest_data as text
  constraint encrypted_guest_data_check check (value ~ '^v1\.[A-Za-z0-9-]{1,32}\.[A-Za-z0-9_-]{38,}$');

-- E-mail messages to guests. A message with a creation is inserted before it is known whether there will be a voucher. Then it is
-- `prepared`, and becomes `waiting` with the voucher. `next_attempt_at` is also the end of the lease of a process that sends it.
create table messages (
  id uuid primary key,
  site_id integer not null,
  creation_id uuid,
  voucher_id uuid,
  api_key_id uuid,
  staff_id uuid,
  email encrypted_guest_data,
  language text not null,
  state text not null,
  created_at timestamptz(3) not null default now(),
  send_until timestamptz(3),
  next_attempt_at timestamptz(3),
  attempts integer not null default 0,
  -- The host in the Message-ID, which is the same in every attempt.
  id_host text,
  -- Why the last attempt failed, and what the mail server said.
  failure text,
  answer text,
  settled_at timestamptz(3),
  constraint messages_state_check check (state in ('prepared', 'waiting', 'accepted', 'rejected', 'expired', 'cancelled')),
  constraint messages_settled_check check ((settled_at is null) = (state in ('prepared', 'waiting'))),
  constraint messages_waiting_check
    check (state <> 'waiting' or (voucher_id is not null and email is not null and next_attempt_at is not null and send_until is not null))
);
create index messages_due on messages (next_attempt_at) where state = 'waiting';
create index messages_prepared on messages (creation_id) where state = 'prepared';
create index messages_by_voucher on messages (site_id, voucher_id);
create index messages_with_address on messages (settled_at) where email is not null;
create index messages_settled on messages (settled_at) where settled_at is not null;
