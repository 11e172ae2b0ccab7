import { columns, day, flag, nullable } from '../../../kernel/db/columns.ts'

/** The columns of `e`, the row of `expiryText`. */
export const EXPIRY = columns('e', {
  endedFrom: nullable(day('ended_from')),
  isNamed: flag('is_named'),
  graceSince: nullable(day('grace_since')),
})

const DAY = (time: string): string => `(${time} at time zone 'Asia/Kolkata')::date`

/**
 * Returns SQL for how the policy `p` became EXPIRED last: the day in India on which a person, not the calendar, ended it, and the day on
 * which a person put it into the grace that it ended from. No row for other policies.
 */
export const expiryText = (user: string): string => `
  select case when h.actor not like 'system:%' then ${DAY('h.at')} end as ended_from,
         exists (
           select from policy_ends n
            where n.user_id = ${user} and n.policy_id = p.policy_id and n.ends_on is not null and n.at >= h.at) as is_named,
         case when h.from_status = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' then (
           select (array_agg(case when g.actor not like 'system:%' then ${DAY('g.at')} end order by g.at desc))[1]
             from user_status_changes g
            where g.user_id = ${user} and g.entity_id = p.policy_id and g.to_status = h.from_status
         ) end as grace_since
    from user_status_changes h
   where h.user_id = ${user} and h.entity_id = p.policy_id and h.to_status = 'EXPIRED' and p.status = 'EXPIRED'
     and not exists (
           select from user_status_changes l
            where l.user_id = ${user} and l.entity_id = p.policy_id and l.to_status = 'EXPIRED' and l.at > h.at)`
