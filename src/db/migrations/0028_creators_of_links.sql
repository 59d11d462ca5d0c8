-- Who created a one-time link; null is the command line. The links of somebody who loses rights end.
alter table password_links add column created_by uuid references staff (id) on delete cascade;
update password_links l
   set created_by = (select a.actor_id from audit a
                      where a.target_kind = 'staff' and a.target_id = l.staff_id::text and a.actor_kind = 'staff'
                        and a.action in ('staff.added', 'staff.link_created')
                        and exists (select from staff where id = a.actor_id)
                      order by a.id desc limit 1);
