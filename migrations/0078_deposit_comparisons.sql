-- outside a transaction
-- Comparisons of a benefit provider's statement of a deposit with its entries: which deposit, from which day on, how many entries; and of a difference, the entry.
alter table comparisons drop constraint if exists comparisons_kind_check;
alter table comparisons add constraint comparisons_kind_check check (kind in ('members', 'deposit')) not valid;
alter table comparisons validate constraint comparisons_kind_check;
alter table comparisons alter column master_policy_number drop not null;
alter table comparisons alter column person_count drop not null;
alter table comparisons add column if not exists sponsor_id text;
alter table comparisons add column if not exists deposit_provider_id text;
alter table comparisons add column if not exists from_day date;
alter table comparisons add column if not exists entry_count int;
alter table comparison_differences add column if not exists entry_id text;
