import { Problem } from './problems.ts'
import { INSERT_READS, type Query } from './statements.ts'

const WRITE_EVERY_MS = 500
const PENDING_MAX = 50_000

type Read = Record<'actor' | 'operation' | 'userId' | 'requestId', string>

/** Who read whose data, written twice a second; refuses to show what could not be recorded. */
export function createReadLog(query: Query) {
  let pending: object[] = []
  async function write() {
    const rows = pending
    pending = []
    if (rows.length > 0) await query(INSERT_READS, [JSON.stringify(rows)]).catch(() => pending.push(...rows))
  }
  setInterval(() => void write(), WRITE_EVERY_MS)
  return {
    note({ userId: user_id, requestId: request_id, ...read }: Read) {
      if (pending.length >= PENDING_MAX) throw new Problem('unavailable', 'The service is temporarily unavailable.')
      pending.push({ ...read, user_id, request_id, at: new Date() })
    },
  }
}
