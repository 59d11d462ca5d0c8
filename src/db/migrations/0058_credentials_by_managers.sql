-- The manager whose link set the present password of a person, or who removed the second factors. Null: somebody who can give
-- all rights, such as an administrator. The credentials end when the person gets more rights than this manager can give.
alter table staff add column credentials_by uuid;
