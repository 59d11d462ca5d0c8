-- The e-mail address that the provider sent last, so that people see which account is linked. It identifies nobody.
alter table identities add column email text;
