-- Since when all attempts of a message have failed, and the mail server has accepted no other message meanwhile.
alter table messages add column failing_since timestamptz(3);
