import { openJws } from './jws.ts'
import type { SigningKeys } from './keys.ts'

/** The end of the chain: the number of a batch, and the hash that covers it and all before it. */
export type AuditHead = { number: number; hash: string }

export type AuditHeads = ReturnType<typeof openAuditHeads>

/** Signs heads of the audit with the signing key (EdDSA), so that nobody who has the database alone can make one. */
export function openAuditHeads({ keys }: { keys: SigningKeys }) {
  const jws = openJws({ keys, typ: 'audit-head+jwt' })
  const payloadOf = ({ number, hash }: AuditHead) => ({ number, hash })
  const kids = new Set(keys.map(({ kid }) => kid))

  return {
    sign: (head: AuditHead): string => jws.sign(payloadOf(head)),

    /** Says whether a signature is of this head. That of a key which is gone cannot be checked: later heads cover its batch. */
    check(head: AuditHead, signature: string): 'right' | 'wrong' | 'of a key that is gone' {
      if (jws.read(signature) === JSON.stringify(payloadOf(head))) return 'right'
      return kids.has(kidOf(signature)) ? 'wrong' : 'of a key that is gone'
    },
  }
}

function kidOf(signature: string): string {
  try {
    const header = JSON.parse(Buffer.from(signature.split('.')[0] ?? '', 'base64url').toString()) as { kid?: unknown }
    return typeof header.kid === 'string' ? header.kid : ''
  } catch {
    return ''
  }
}
