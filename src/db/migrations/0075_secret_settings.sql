-- The secret part of a setting, such as the password of the mail server. It is encrypted for the place settings/secret/<name>. It has a
-- type of its own, because processes of version 0.1.0 look for rows by `id` in each table with the type `encrypted`.
create domain encrypted_setting as text
  constraint encrypted_setting_check check (value ~ '^v1\.[A-Za-z0-9-]{1,32}\.[A-Za-z0-9_-]{38,}$');
alter table settings add column secret encrypted_setting;
