import pg from 'pg'
import { createBulkhead } from '../bulkhead.ts'
import { describe } from '../http/problems.ts'
import type { Log } from '../log.ts'
import { connectionOptions } from './database.ts'

/**
 * The connection that decides what this process leads: work that one process at a time runs has an advisory lock. Locks
 * live as long as the connection, so a process that dies hands over at once. A process notices a broken connection
 * later than the database may, so the work must be safe to run twice.
 */
export type Leadership = ReturnType<typeof createLeadership>

const QUERY_TIMEOUT_MS = 5_000

/** Connects when it is needed, and again after the connection is lost. `channel` is that of the notifications. */
export function createLeadership({ url, channel, log }: { url: string; channel: string; log: Log }) {
  const listeners: (() => void)[] = []
  const locked = new Set<number>()
  const { run: oneByOne } = createBulkhead({ width: 1 }) // a client takes the next statement when it has done the last
  let current: { client: pg.Client; connected: Promise<unknown> } | undefined

  function connect() {
    const { onConnect, ...options } = connectionOptions(url)
    const client = new pg.Client({ ...options, query_timeout: QUERY_TIMEOUT_MS })
    client.on('error', (error) => drop(client, error))
    client.on('end', () => drop(client))
    client.on('notification', () => {
      for (const listener of listeners) listener()
    })
    const listen = async () => {
      await client.connect()
      await onConnect(client)
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    }
    return { client, connected: listen() }
  }

  function drop(lost: pg.Client, error?: Error): void {
    if (current?.client !== lost) return
    current = undefined
    locked.clear()
    if (error) log.warn({ error: describe(error) }, 'the connection that holds the locks of leaders was lost')
    void lost.end().catch(() => {})
  }

  return {
    /** Resolves to true when this process leads the work with this lock. Costs no statement once it does. */
    async leads(lock: number): Promise<boolean> {
      if (locked.has(lock)) return true
      const { client, connected } = (current ??= connect())
      try {
        await connected
        return await oneByOne('client', async () => {
          if (locked.has(lock)) return true // a second lock would have to be released, too
          const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lock])
          if (current?.client !== client || rows[0]?.locked !== true) return false
          locked.add(lock)
          return true
        })
      } catch (error) {
        drop(client, error as Error)
        return false
      }
    },
    /** Lets another process lead. */
    async release(lock: number): Promise<void> {
      if (!locked.delete(lock)) return
      const client = current?.client
      if (!client) return
      await oneByOne('client', () => client.query('select pg_advisory_unlock($1)', [lock])).catch(
        (error: unknown) => drop(client, error as Error), // which releases it, too
      )
    },
    /** Calls this at each notification. Those sent while the connection is down are lost, so users also poll. */
    onMessage: (listener: () => void) => void listeners.push(listener),
    async close(): Promise<void> {
      const last = current
      current = undefined
      locked.clear()
      await last?.client.end()
    },
  }
}
