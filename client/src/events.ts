import { isPassing } from './errors.ts'
import { EventsOperations } from './generated/groups.ts'
import type { ListEventsQuery } from './generated/operations.ts'
import type { Event } from './generated/schemas.ts'
import { pause } from './waiting.ts'

const POLL_MS = 2_000
const PAGE_SIZE = 100
const RETRY_MS_MAX = 30_000

/** Where a program keeps how far it has read, so that it goes on there after a restart. */
export type CursorStore = {
  load(): string | undefined | Promise<string | undefined>
  save(cursor: string): void | Promise<void>
}

export type FollowOptions = {
  /** The id of the last event that was processed, or `latest` for events from now on; otherwise the last 30 days. */
  after?: string | undefined
  types?: ListEventsQuery['type']
  /** Only events about the record with this id. */
  subject?: string | undefined
  /** Ends the iteration. */
  signal?: AbortSignal | undefined
  /** Instead of `after`. A cursor is saved when its page has been processed, so after a crash events can come again. */
  store?: CursorStore | undefined
  /** Milliseconds between two reads while nothing happens; 2,000 unless set. */
  poll?: number | undefined
}

export class Events extends EventsOperations {
  /**
   * Every event, in order and each once, now and as they happen, until `signal` is aborted. It outlasts what passes:
   * lost connections, restarts of the service. It throws for what does not: a revoked credential, a cursor of 31 days.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    const { types, subject, signal, store, poll = POLL_MS } = options
    let after = options.after ?? (await store?.load())
    let retryMs = poll
    for (;;) {
      if (signal?.aborted) return
      try {
        const query = { after, type: types, subject, limit: PAGE_SIZE }
        const page = await this.list(query, { signal })
        retryMs = poll
        for (const event of page.data) {
          if (signal?.aborted) return
          yield event
        }
        after = page.next ?? after
        if (page.next !== null) await store?.save(page.next)
        if (!page.has_more) await pause(poll, signal)
      } catch (error) {
        if (signal?.aborted) return
        if (!isPassing(error)) throw error
        retryMs = Math.min(retryMs * 2, RETRY_MS_MAX)
        await pause(retryMs, signal).catch(() => {})
      }
    }
  }
}
