import { onUnreadable } from './kernel/crypto/sealed-column.ts'
import type { Log } from './kernel/log.ts'
import type { Metrics } from './kernel/metrics.ts'

/** Counts and logs reads of unreadable values, by their address. The returned function ends it. */
export const watchUnreadable = ({ log, metrics }: { log: Log; metrics: Metrics }): (() => void) =>
  onUnreadable((address) => {
    metrics.unreadable()
    log.error(address, 'a sealed value cannot be opened')
  })
