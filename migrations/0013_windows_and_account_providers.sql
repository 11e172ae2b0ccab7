-- A renewal window is shorter than the shortest term, which has 28 days a month: one that is open when its term begins
-- lets the same renewal, sent twice, buy two terms.
update benefits b
   set plans = (
         select jsonb_agg(
                  case
                    when (plan ->> 'renewal_window_days')::int < 28 * (plan ->> 'term_months')::int then plan
                    else plan || jsonb_build_object('renewal_window_days', 28 * (plan ->> 'term_months')::int - 1)
                  end
                  order by place)
           from jsonb_array_elements(b.plans) with ordinality as p (plan, place))
 where exists (
         select from jsonb_array_elements(b.plans) as plan
          where (plan ->> 'renewal_window_days')::int >= 28 * (plan ->> 'term_months')::int);

update insurance_policies
   set renewal_window_days = 28 * term_months - 1,
       next_move_on = case when status = 'ISSUED' then end_date - (28 * term_months - 1) else next_move_on end
 where renewal_window_days >= 28 * term_months and status not in ('EXPIRED', 'REJECTED');

-- Which account provider an account is at; null before one was chosen, and where none is registered.
alter table accounts add column account_provider_id text;
alter table accounts add foreign key (account_provider_id) references account_providers;
