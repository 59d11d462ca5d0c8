-- Whether each sign-in by the provider replaces the role and the sites of the person by those of the person's groups.
alter table staff add column rights_from_groups boolean not null default false;
