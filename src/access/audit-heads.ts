import { createJws } from './jws.ts'
import type { SigningKeys } from '../settings/keys.ts'

/** The head of the hash chain: the number of a batch, and the hash over it and all previous ones. */
export type AuditHead = { number: number; hash: string }

export type AuditHeads = ReturnType<typeof createAuditHeads>

/** Signs audit heads with the signing key (EdDSA), so that access to the database alone is not enough to forge one. */
export function createAuditHeads({ keys }: { keys: SigningKeys }) {
  const jws = createJws({ keys, typ: 'audit-head+jwt' })
  const toPayload = ({ number, hash }: AuditHead) => ({ number, hash })
  const kids = new Set(keys.map(({ kid }) => kid))

  return {
    sign: (head: AuditHead): string => jws.sign(toPayload(head)),

    /**
     * Verifies the signature of a head. A signature by a removed key cannot be verified, but later heads cover its
     * batch.
     */
    check(head: AuditHead, signature: string): 'valid' | 'invalid' | 'unknown key' {
      if (jws.read(signature) === JSON.stringify(toPayload(head))) return 'valid'
      return kids.has(readKid(signature)) ? 'invalid' : 'unknown key'
    },
  }
}

function readKid(signature: string): string {
  try {
    const header = JSON.parse(Buffer.from(signature.split('.')[0] ?? '', 'base64url').toString()) as { kid?: unknown }
    return typeof header.kid === 'string' ? header.kid : ''
  } catch {
    return ''
  }
}
