import { EVENTS, type EventType } from '../../../record/index.ts'

/** Describes who may receive the events of a type. */
export function whoReceives(type: EventType): string {
  if ('isUnlisted' in EVENTS[type]) return 'the webhook endpoint that it names, whatever its `event_types`'
  const { audience } = EVENTS[type]
  const own = audience.map((one) => (one === 'platform' ? 'the platform' : 'the benefit provider'))
  return own.length === 0 ? 'administrators only' : `${own.join(' and ')} concerned, and administrators`
}
