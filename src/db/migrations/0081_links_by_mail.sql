-- Runs in steps, without a transaction.
-- Messages to people of the service with a one-time link for a password. `prepared` is a request of somebody who forgot the password: the
-- worker finds out whether there is such a person. The token of the link is encrypted, and erased with the outcome. It has the
-- type of guests' data because starts and `doctor` need not decrypt it.
alter table messages
  add column if not exists kind text not null default 'voucher',
  add column if not exists recipient_id uuid,
  add column if not exists link_token encrypted_guest_data,
  add column if not exists asked_from inet,
  alter column site_id drop not null;
alter table messages
  drop constraint if exists messages_waiting_check,
  add constraint messages_waiting_check check (
    state <> 'waiting' or (email is not null and next_attempt_at is not null and send_until is not null
                           and case when kind = 'voucher' then voucher_id is not null
                                    else recipient_id is not null and link_token is not null end)) not valid,
  drop constraint if exists messages_kind_check,
  add constraint messages_kind_check check (
    case when kind = 'voucher' then site_id is not null and recipient_id is null and asked_from is null
         else kind in ('invitation', 'password_link', 'forgotten_password')
              and site_id is null and creation_id is null and voucher_id is null end) not valid,
  drop constraint if exists messages_link_check,
  add constraint messages_link_check check (link_token is null or (state = 'waiting' and kind <> 'voucher')) not valid;
alter table messages validate constraint messages_waiting_check;
alter table messages validate constraint messages_kind_check;
alter table messages validate constraint messages_link_check;
create index concurrently messages_by_recipient on messages (recipient_id, id) where recipient_id is not null;
create index concurrently messages_forgotten on messages (created_at) where state = 'prepared' and kind = 'forgotten_password';
