-- Lists revocations, newest first.
create index revocations_newest on revocations (created_at desc, id desc);
