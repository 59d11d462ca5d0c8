-- `lower` uses the rules of the collation. In a Turkish database, the small form of I is ı, so that INFO@… and info@… were two
-- addresses. This collation has the rules of no particular language.
alter table staff alter email type text collate natural_order;
