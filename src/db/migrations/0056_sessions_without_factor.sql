-- True: the person must set up a second factor before anything else. Set when the session begins.
alter table staff_sessions add column must_set_up_factor boolean not null default false;
