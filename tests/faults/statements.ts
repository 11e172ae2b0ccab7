import { type Frame, textsIn } from './frames.ts'

const BEGIN = /^\s*(begin|start transaction)\b/i
const COMMIT = /^\s*(commit|end)\b/i
const ROLLBACK = /^\s*rollback\b/i
const WRITE = /\b(insert\s+into|update|delete\s+from|merge\s+into)\s/i

/**
 * Watches what a client sends over one connection. Returns for a message whether it makes a write final: the commit of
 * a transaction that wrote something, or a write outside any transaction.
 */
export function writeWatch(): (frame: Frame) => boolean {
  const prepared = new Map<string, string>()
  let inTransaction = false
  let hasWritten = false

  function makesFinal(text: string): boolean {
    if (BEGIN.test(text)) {
      inTransaction = true
      hasWritten = false
      return false
    }
    if (COMMIT.test(text) || ROLLBACK.test(text)) {
      const isFinal = inTransaction && hasWritten && COMMIT.test(text)
      inTransaction = false
      return isFinal
    }
    if (!WRITE.test(text)) return false
    hasWritten = true
    return !inTransaction
  }

  return ({ type, body }) => {
    const [first = '', second = ''] = textsIn(body, type === 'Q' ? 1 : 2)
    if (type === 'P') prepared.set(first, second)
    if (type === 'Q') return makesFinal(first)
    return type === 'B' && makesFinal(prepared.get(second) ?? '')
  }
}
