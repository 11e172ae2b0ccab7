import { onUnreadable } from './crypto/sealed-column.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** Counts and logs reads of unreadable values, by their address. The returned function ends it. */
export const watchUnreadable = ({ log, metrics }: { log: Log; metrics: Metrics }): (() => void) =>
  onUnreadable((address) => {
    metrics.unreadable()
    log.error(address, 'a sealed value cannot be opened')
  })
