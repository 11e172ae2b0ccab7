import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Readable } from 'node:stream'
import { createVault } from '../../src/kernel/crypto/vault.ts'
import type { Storage } from '../../src/kernel/storage/storage.ts'
import { getArchive } from '../../src/record/audit-archive.ts'
import { hashBatch } from '../../src/record/seal-audit.ts'

/*
 * An archive of the audit of format 1, under fixed keys. It is never changed: one that no longer opens may be the last copy of what
 * happened. A new format gets a sample of its own, and this one stays.
 */

const VAULT = createVault({ masterKeys: [{ id: 'm1', key: Buffer.alloc(32, 1) }], hashKeys: [Buffer.alloc(32, 2)] })
const SAMPLE = [
  'QkFOWUFOIEFVRElUIDEgbTEudzhWaXFPaG5RMXkxSVEyZjJHYVk4VG4tMEw1WW5PVmQ3OG9fUmRZUzg5UU9GVE9JUXAySGJ1VDJUVWxhcWZWUEZB',
  'YUVHdlktbndwMVZ4dWQKAffBrECApSboRp357w1T9qdZ6yH+cKW53vfMcJSigeTH9ccumo3n4urB+S89izLInFpDk7Y+cJZamqr7bBWtBhtak+3I',
  '9g6F1UQiS9sRabr53FgzKgTQI/QPVfIqR3zIV2Tym4AdNg8w4i6CAZKlZ7q/KYrzikKl/VM6irW9cEVmIxIUA2JmB7wFLb14aW4h9fLWsu1tp4H5',
  'g1ngjRajs+SozE3jrL21Yt1Uw8ZbgmfsMSM2veaIYzmDJVFeNkBK5qql38H+3gPvs3cQxGU7vR+M/LthGOC86YSU0RQMxnRiF74EPnp1TCyJmxuE',
  '8iatYy5BLU7DbcIYAMgBTrRQiVs/ElUYgCiSOCAGaFm+G/IoWJFTXcGW2pi+602WB2dd9dToXfiqgb7h9yLO2k1FxMzPC9kBfsKEkXyNSRb5WTFh',
  'DN4Y8AkKIBLwqAC5tVd0L8qMGvWkcr3voCNi+clysOHBKrhe9RA=',
].join('')
const HASH = '89be0f26904549147950bf184713fb66beea5cf3eaa2fdb10e7e5ff1c3330233'

const storage = { get: async () => Readable.from([Buffer.from(SAMPLE, 'base64')]) } as Partial<Storage> as Storage
const open = (archiveId: string) => getArchive({ storage, vault: VAULT }, archiveId)

it('an archive of the audit, format 1, is read, with entries that have the hash of their batch', async () => {
  const found = await open('audit/000000000001')
  assert(found && 'archive' in found)
  const { previous_hash, batches } = found.archive
  const [{ lines, ...batch } = assert.fail(), ...others] = batches
  assert.deepEqual(batch, {
    number: 1,
    last_xid: '732',
    last_audit_id: 'aud_2',
    entry_count: 2,
    hash: HASH,
    signature: 'a.b.c',
  })
  assert.deepEqual([previous_hash, others, hashBatch('', lines)], ['', [], HASH])
  assert.match(lines[0] ?? '', /Ticket \\"7\\", ज़रूरी/)
  assert.deepEqual(await open('audit/000000000002'), { defect: 'altered: it does not open' }, 'nor under another name')
})
