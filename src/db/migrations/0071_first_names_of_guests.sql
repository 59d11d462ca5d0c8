-- Runs in steps, without a transaction.
-- Administrators find a guest by a word of the name under which a voucher was created, if it was changed later. A creation writes nothing to
-- this index.
create index concurrently vouchers_by_first_name_words on vouchers using gin (site_id, without_date(controller_name) gin_trgm_ops)
  where name <> without_date(controller_name);
