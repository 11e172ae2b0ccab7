import { Type } from 'typebox'
import { DayText, Nullable, OneOf, record, Timestamp } from '../kernel/http/schemas.ts'

type StatusExample<T> = { id: string; status: T; next_move_on: string | null; allowed_transitions: T[] }

/** The status of a record that does not show it itself; returned by reading and by changing the status. */
export const statusRecord = <const T extends string>(
  name: string,
  statuses: readonly T[],
  { description, example }: { description: string; example: StatusExample<NoInfer<T>> },
) =>
  record(
    name,
    {
      id: Type.String(),
      status: OneOf(statuses),
      since: Timestamp('Time of the last transition'),
      grace_until: Nullable(DayText({ description: 'Last day of grace; the policy expires after it' })),
      next_move_on: Nullable(DayText({ description: 'Day of the next transition by the calendar' })),
      allowed_transitions: Type.Array(OneOf(statuses), { description: 'States that this caller can set' }),
    },
    { description, examples: [{ since: '2026-04-01T10:00:00', grace_until: null, ...example }] },
  )
