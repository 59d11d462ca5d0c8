-- Failed attempts to disconnect devices, apart from the attempts to delete the voucher.
alter table withdrawals add column disconnect_attempts integer not null default 0;
