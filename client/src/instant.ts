/** A moment. The service writes times in UTC without a zone, and the client reads them as such, whatever its own zone. */
export type Instant = Date

const WRITTEN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z?$/

/** Returns the moment that the service wrote; the text itself if it is no time. */
export function readInstant(text: string): Instant | string {
  if (!WRITTEN.test(text)) return text
  return new Date(text.endsWith('Z') ? text : `${text}Z`)
}

/** Returns a moment as the service takes it: `2026-04-01T09:30:00`, in UTC. */
export const writeInstant = (time: Instant): string => time.toISOString().slice(0, 19)
