-- A session of somebody who must set up a second factor before anything else. It is decided when the session begins, and ends
-- when the person has a second factor.
alter table staff_sessions add column must_set_up_factor boolean not null default false;
