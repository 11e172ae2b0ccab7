-- The last covered day of a policy that ends before its term, alongside the term: the term's own days stay. `ends_from` is the first day of the term
-- that it falls in, which is not the policy's after an early renewal. Null while no end is set.
alter table insurance_policies add column ends_on date;
alter table insurance_policies add column ends_from date;
