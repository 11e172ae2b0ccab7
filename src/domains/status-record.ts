import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { DayText, Nullable, OneOf, record, Timestamp } from '../kernel/http/schemas.ts'

type StatusExample<T> = { id: string; status: T; next_move_on: string | null; allowed_transitions: T[] }

type StatusOptions<T, More extends TProperties> = {
  description: string
  example: StatusExample<T> & Static<TObject<More>>
  /** What the status of this kind of record shows besides, by name. */
  more: More
}

/** The status of a record that does not show it itself; returned by reading and by changing the status. */
export const statusRecord = <const T extends string, More extends TProperties>(
  name: string,
  statuses: readonly T[],
  { description, example, more }: StatusOptions<NoInfer<T>, More>,
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
      ...more,
    },
    { description, examples: [{ since: '2026-04-01T10:00:00', grace_until: null, ...example }] },
  )
