import { agoText, dayText, daysFromNow, timeText } from './texts.ts'

const ZONE = 'IST'
const ZONE_NAME = 'India Standard Time (IST)'

/** A day of the calendar; `isDue` adds how far it is. */
export function Day({ day, isDue = false }: { day: string | null; isDue?: boolean }) {
  if (day === null) return <span className="quiet">–</span>
  return (
    <span className="nowrap">
      <time dateTime={day}>{dayText(day)}</time>
      {isDue && <span className="quiet"> {daysFromNow(day)}</span>}
    </span>
  )
}

/** A moment, in full; whose clocks show it, when pointed at. */
export function Time({ at }: { at: Date }) {
  return (
    <time className="nowrap" dateTime={at.toISOString()} title={ZONE_NAME}>
      {timeText(at)}
    </time>
  )
}

/** A moment as the time since it; in full when pointed at. */
export function Ago({ at }: { at: Date }) {
  return (
    <time className="nowrap" dateTime={at.toISOString()} title={`${timeText(at)} ${ZONE}`}>
      {agoText(at)}
    </time>
  )
}
