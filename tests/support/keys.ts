import { generateKeyPairSync } from 'node:crypto'
import { createAuditHeads } from '../../src/access/audit-heads.ts'
import { type ParsedKeys, parseKeyTexts } from '../../src/settings/keys.ts'

/** As sent in the header; in the setting the first is named `desk`, the second has no name. */
export const ADMIN_KEYS = ['test-admin-key-number-one', 'test-admin-key-number-two']

const jwk = (kid: string) => ({ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid })

/** The same in every process of a test, so that each can open what another has sealed. */
export const VAULT_KEYS = {
  MASTER_KEYS: `m2:${Buffer.alloc(32, 2).toString('base64')},m1:${Buffer.alloc(32, 1).toString('base64')}`,
  HASH_KEY: Buffer.alloc(32, 3).toString('base64'),
}

/** The audit key of workers in tests about something else. */
export const auditHeads = () => createAuditHeads({ keys: testKeys().signingKeys })

/** Fresh keys: two that verify, one that signs. */
export function testKeys(): ParsedKeys {
  const keys = parseKeyTexts({
    SIGNING_KEYS: JSON.stringify({ keys: [jwk('test-1'), jwk('test-2')] }),
    ...VAULT_KEYS,
    ADMIN_API_KEYS: `desk:${ADMIN_KEYS.join(',')}`,
  })
  if (Array.isArray(keys)) throw new Error(keys.join('\n'))
  return keys
}
