-- Tables named as the code and the documents name what is in them.
alter table access_changes rename to revocations;
alter table revocations rename column denied to revoked;
alter table revocations rename constraint access_changes_pkey to revocations_pkey;
alter index access_changes_at rename to revocations_at;
alter sequence access_changes_seq_seq rename to revocations_seq_seq;

alter table policy_facts rename to policy_snapshots;
alter table policy_snapshots rename constraint policy_facts_pkey to policy_snapshots_pkey;
alter table policy_snapshots rename constraint policy_facts_issue_check to policy_snapshots_issue_check;
alter table policy_snapshots rename constraint policy_facts_user_id_policy_id_fkey to policy_snapshots_user_id_policy_id_fkey;

alter table messages_written rename to message_counts;
alter table message_counts rename constraint messages_written_pkey to message_counts_pkey;
alter table message_counts rename constraint messages_written_user_id_fkey to message_counts_user_id_fkey;
