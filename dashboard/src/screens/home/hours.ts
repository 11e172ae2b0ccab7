const HOUR_MS = 3_600_000
/** India has no summer time, and its hours begin at half past those of UTC. */
const ZONE_MS = 5.5 * HOUR_MS

const hourOf = (time: Date): number => Math.floor((time.getTime() + ZONE_MS) / HOUR_MS)

const nameOf = (hour: number): string => `${String(hour % 24).padStart(2, '0')}:00`

/** The hour in India that a time is in, as its beginning: `14:00`. */
export const hourName = (time: Date): string => nameOf(hourOf(time))

export type Hour = {
  /** When it began in India: `14:00`. */
  name: string
  count: number
  /** False for hours of which not all changes are known. */
  isKnown: boolean
}

/** Counts times by the hours of India, the present one last. */
export function hoursOf(
  times: readonly Date[],
  { hours, since, now }: { hours: number; since: Date; now: Date },
): Hour[] {
  const last = hourOf(now)
  const counts = new Map<number, number>()
  for (const time of times) counts.set(hourOf(time), (counts.get(hourOf(time)) ?? 0) + 1)
  return Array.from({ length: hours }, (_, index) => {
    const hour = last - hours + 1 + index
    return {
      name: nameOf(hour),
      count: counts.get(hour) ?? 0,
      isKnown: hour * HOUR_MS - ZONE_MS >= since.getTime(),
    }
  })
}
