-- Runs in steps, without a transaction.
-- `lower` uses the rules of the collation. In a Turkish database, the small form of I is ı, so that INFO@… and info@… were two
-- addresses. The collation of this index has the rules of no particular language. Version 0.1.0 needs the index staff_by_email.
create unique index concurrently staff_by_email_in_any_case on staff (lower(email collate natural_order));
