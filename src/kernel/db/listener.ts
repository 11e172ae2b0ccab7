import pg from 'pg'
import { connectionOptions } from './database.ts'

/** A dedicated connection for notifications. Reopened when it is lost. */
export type Listener = {
  /** Resolves to true when this connection is open and holds the lock, which no other connection can then hold. */
  leads(lock: number): Promise<boolean>
  close(): Promise<void>
}

type ListenerSettings = { url: string; channel: string; onMessage: () => void; onLost: (error: Error) => void }

const QUERY_TIMEOUT_MS = 5_000

/**
 * Listens to a channel. Messages are lost while the connection is down, so users also poll now and then. The lock lives
 * as long as the connection: a process that dies releases it at once.
 */
export function createListener({ url, channel, onMessage, onLost }: ListenerSettings): Listener {
  let client: pg.Client | undefined
  let isLeading = false

  function drop(lost: pg.Client, error?: Error): void {
    if (client !== lost) return
    client = undefined
    isLeading = false
    if (error) onLost(error)
    void lost.end().catch(() => {})
  }

  async function connected(): Promise<pg.Client> {
    if (client) return client
    const fresh = new pg.Client({ ...connectionOptions(url), query_timeout: QUERY_TIMEOUT_MS })
    fresh.on('error', (error) => drop(fresh, error))
    fresh.on('end', () => drop(fresh))
    fresh.on('notification', onMessage)
    await fresh.connect()
    client = fresh
    await fresh.query(`listen ${pg.escapeIdentifier(channel)}`)
    return fresh
  }

  return {
    async leads(lock) {
      try {
        const connection = await connected()
        if (isLeading) return true
        const { rows } = await connection.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [lock])
        return (isLeading = rows[0]?.held === true)
      } catch (error) {
        if (client) drop(client, error as Error)
        else onLost(error as Error)
        return false
      }
    },
    async close() {
      const last = client
      client = undefined
      await last?.end()
    },
  }
}
