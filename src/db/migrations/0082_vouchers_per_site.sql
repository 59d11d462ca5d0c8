-- Runs in steps, without a transaction.
-- A site has many vouchers. In a new installation, PostgreSQL may analyze a partition with one voucher per site. It then expects only
-- one voucher of a site, and looks up a voucher by the index of names instead of the primary key: it compared 5,000 erased vouchers
-- with all vouchers of the site, which took 3 s. The setting counts from the next time the partition is analyzed.
alter table vouchers_00 alter column site_id set (n_distinct = -0.01);
alter table vouchers_01 alter column site_id set (n_distinct = -0.01);
alter table vouchers_02 alter column site_id set (n_distinct = -0.01);
alter table vouchers_03 alter column site_id set (n_distinct = -0.01);
alter table vouchers_04 alter column site_id set (n_distinct = -0.01);
alter table vouchers_05 alter column site_id set (n_distinct = -0.01);
alter table vouchers_06 alter column site_id set (n_distinct = -0.01);
alter table vouchers_07 alter column site_id set (n_distinct = -0.01);
alter table vouchers_08 alter column site_id set (n_distinct = -0.01);
alter table vouchers_09 alter column site_id set (n_distinct = -0.01);
alter table vouchers_10 alter column site_id set (n_distinct = -0.01);
alter table vouchers_11 alter column site_id set (n_distinct = -0.01);
alter table vouchers_12 alter column site_id set (n_distinct = -0.01);
alter table vouchers_13 alter column site_id set (n_distinct = -0.01);
alter table vouchers_14 alter column site_id set (n_distinct = -0.01);
alter table vouchers_15 alter column site_id set (n_distinct = -0.01);
alter table vouchers_16 alter column site_id set (n_distinct = -0.01);
alter table vouchers_17 alter column site_id set (n_distinct = -0.01);
alter table vouchers_18 alter column site_id set (n_distinct = -0.01);
alter table vouchers_19 alter column site_id set (n_distinct = -0.01);
alter table vouchers_20 alter column site_id set (n_distinct = -0.01);
alter table vouchers_21 alter column site_id set (n_distinct = -0.01);
alter table vouchers_22 alter column site_id set (n_distinct = -0.01);
alter table vouchers_23 alter column site_id set (n_distinct = -0.01);
alter table vouchers_24 alter column site_id set (n_distinct = -0.01);
alter table vouchers_25 alter column site_id set (n_distinct = -0.01);
alter table vouchers_26 alter column site_id set (n_distinct = -0.01);
alter table vouchers_27 alter column site_id set (n_distinct = -0.01);
alter table vouchers_28 alter column site_id set (n_distinct = -0.01);
alter table vouchers_29 alter column site_id set (n_distinct = -0.01);
alter table vouchers_30 alter column site_id set (n_distinct = -0.01);
alter table vouchers_31 alter column site_id set (n_distinct = -0.01);
