-- The unique index of owner and slot finds the few credentials of an owner; no statement used this one.
drop index credentials_of_owner;
