-- The partner's own number of a person, sealed under the person's data key, and the lookup by which it is found and is unique within a platform: a
-- keyed hash, as for phones. A table of its own, because users are keyed by user.
alter table users add column reference_sealed text;

create table user_references (
  reference_hash bytea primary key,
  user_id        text not null check (user_id ~ '^[0-9]{12}$'),
  hash_key       text not null
);
comment on table user_references is 'never changed';
create index user_references_of_user on user_references (user_id);
