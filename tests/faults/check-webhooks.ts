import type { Receiver } from './receivers.ts'
import { owed, type LoggedEvent } from './webhooks.ts'
import { type Finding, type World, findingUnless } from './world.ts'

/** Every event reached each receiver, always with the same text, signed, and nothing else did. */
export function checkWebhooks({ logged, receivers, stored, stage: { eventTypes } }: World): Finding[] {
  const known = new Set(logged.map(({ id }) => id))
  const isShown = (texts: ReadonlySet<string>) =>
    eventTypes === undefined || [...texts].some((text) => eventTypes.has(typeIn(text)))
  return receivers.flatMap((receiver) => {
    const { name, taken, unverified } = receiver
    return [
      ...owed(logged).flatMap(({ id }): Finding[] =>
        taken.has(id) ? [] : [{ sort: 'lost', text: `event ${id} did not come to the ${name} receiver` }],
      ),
      ...[...taken].flatMap(([id, texts]) => [
        ...findingUnless(
          known.has(id) || !isShown(texts),
          `event ${id} came to the ${name} receiver and is not in the log`,
        ),
        ...findingUnless(texts.size === 1, `event ${id} came to the ${name} receiver in ${texts.size} forms`),
      ]),
      ...findingUnless(unverified === 0, `${unverified} calls to the ${name} receiver were not signed for it`),
      ...checkOrder(receiver, logged, stored.deliveries),
    ]
  })
}

const typeIn = (text: string): string => (JSON.parse(text) as LoggedEvent).type

/** Without failures, events of one subject arrive in order: those accepted at their first attempt. */
function checkOrder(
  { name, taken, endpoint }: Receiver,
  logged: LoggedEvent[],
  deliveries: World['stored']['deliveries'],
) {
  const ofFirstTry = new Set(
    deliveries.filter((one) => one.endpoint_id === endpoint?.id && one.tries === 1).map((one) => one.event_id),
  )
  const positions = new Map([...taken.keys()].map((id, position) => [id, position]))
  const bySubject = Map.groupBy(
    logged.filter(({ id }) => ofFirstTry.has(id) && positions.has(id)),
    ({ subject }) => subject,
  )
  return [...bySubject].flatMap(([subject, events]) => {
    const came = events.map(({ id }) => positions.get(id) ?? 0)
    const isInOrder = came.every((position, index) => index === 0 || position > (came[index - 1] ?? 0))
    return findingUnless(isInOrder, `events about ${subject} came to the ${name} receiver out of order`)
  })
}
