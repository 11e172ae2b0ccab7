-- Almost every version of a dependant is the first one, so most entries of this index said only that there is no version
-- before. Leaving them out takes a tenth of the database's time for new dependants.

alter table dependants drop constraint dependants_one_successor;
create unique index dependants_one_successor on dependants (user_id, previous_version_id)
  where previous_version_id is not null;
