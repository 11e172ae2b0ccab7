-- Rule 8(3) of the DPDP Rules, 2025: what could be read of an erased person is held for a year for who has a private key that no server has. The data key is
-- wrapped under the public half, alongside what the erasure clears in the person's row. The row is deleted with the hold, and nothing opens any more.
create table erasure_holds (
  user_id          text not null check (user_id ~ '^[0-9]{12}$'),
  held_until       date not null,
  key_id           text not null,
  wrapped_key      text not null,
  sealed           text not null,
  reference_sealed text,
  id_proof_last4   text,
  primary key (user_id)
);
alter table erasure_holds add foreign key (user_id) references users (user_id);
comment on table erasure_holds is 'never changed';
comment on column erasure_holds.key_id is 'which public key wrapped the data key';

create index erasure_holds_over on erasure_holds (held_until);
