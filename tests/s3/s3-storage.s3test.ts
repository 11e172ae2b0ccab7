import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { buffer } from 'node:stream/consumers'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { sealStream, unsealStream } from '../../src/kernel/crypto/sealed-stream.ts'
import { createVault } from '../../src/kernel/crypto/vault.ts'
import { ProblemError } from '../../src/kernel/problem-error.ts'
import { createStorage } from '../../src/kernel/storage/create-storage.ts'
import { createS3Storage } from '../../src/kernel/storage/s3-storage.ts'
import type { Storage } from '../../src/kernel/storage/storage.ts'
import { getArchive, putArchive } from '../../src/record/audit-archive.ts'
import { describeStorage, inPieces, read } from '../kernel/storage-contract.ts'
import { newBucket, type S3Access } from './swift-server.ts'

const MIB = 1024 * 1024

const access = JSON.parse(process.env['BANYAN_TEST_S3'] ?? '') as S3Access
const settings = { ...access, forcePathStyle: true }
const client = new S3Client(settings)

describeStorage('a bucket', async () => createStorage({ kind: 's3', ...settings, bucket: await newBucket(access) }))

describe('a bucket', () => {
  let bucket: string
  let storage: Storage
  before(async () => {
    bucket = await newBucket(access)
    storage = await createS3Storage({ ...settings, bucket })
  })

  const keysIn = async () => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
    return Contents.map(({ Key, Size }) => `${Key} ${Size}`)
  }

  it('has one object for each key, under the key itself, and nothing else', async () => {
    assert.deepEqual(await keysIn(), [])
    await storage.put('a', inPieces(randomBytes(10)))
    await storage.put('a/b', inPieces(randomBytes(3 * MIB)))
    await storage.put('a/b-c', inPieces(Buffer.alloc(0)))
    assert.deepEqual(await keysIn(), ['a 10', `a/b ${3 * MIB}`, 'a/b-c 0'])
    await storage.put('a/b', inPieces(randomBytes(5)))
    await storage.delete('a/b-c')
    assert.deepEqual(await keysIn(), ['a 10', 'a/b 5'])
  })

  it('has no plain byte of a sealed 10 MiB file, which opens again', async () => {
    const key = createSecretKey(randomBytes(32))
    const row = 'documents:pol_1:policy_certificate'
    const plain = Buffer.concat([Buffer.from('Asha Example'), randomBytes(10 * MIB - 12)])
    await storage.put('pol_1/policy_certificate', sealStream(key, row, inPieces(plain)))
    const sealed = (await read(storage, 'pol_1/policy_certificate')) as Buffer
    assert(sealed.length > plain.length && !sealed.includes('Asha') && !sealed.includes(plain.subarray(-32)))
    const stream = await storage.get('pol_1/policy_certificate')
    assert(stream && plain.equals(await buffer(unsealStream(key, row, stream))))
  })

  it('has an archive of the audit, which opens again', async () => {
    const vault = createVault({ masterKeys: [{ id: 'm1', key: randomBytes(32) }], hashKeys: [randomBytes(32)] })
    const lines = Array.from({ length: 10_000 }, (_, index) =>
      JSON.stringify([String(index), randomBytes(100).toString('hex')]),
    )
    const batch = {
      number: 1,
      last_xid: '9',
      last_audit_id: 'aud_9',
      entry_count: lines.length,
      hash: '',
      signature: '',
    }
    const archive = { previous_hash: '', batches: [{ ...batch, lines }] }
    const place = { archive_id: 'audit/000000000001', data_key: vault.newDataKey().wrapped }
    await putArchive({ storage, vault }, place, archive)
    assert.deepEqual(await getArchive({ storage, vault }, place.archive_id), { archive, data_key: place.data_key })
    assert.equal(await getArchive({ storage, vault }, 'audit/000000000002'), undefined)
  })

  describe('503, never "missing", and nothing is changed', () => {
    const { accessKeyId, secretAccessKey } = access.credentials
    const METHODS = {
      'with a wrong secret': { credentials: { accessKeyId, secretAccessKey: `${secretAccessKey}x` } },
      'as somebody unknown': { credentials: { accessKeyId: 'test:nobody', secretAccessKey } },
      'in a bucket that is not there': { bucket: 'files-elsewhere' },
      'in another region': { region: 'eu-west-1' },
      'where nobody responds': { endpoint: 'http://127.0.0.1:1' },
    }
    for (const [way, other] of Object.entries(METHODS)) {
      it(way, async () => {
        await storage.put('kept', inPieces(Buffer.from('kept')))
        const earlier = await keysIn()
        const refused = await createS3Storage({ ...settings, bucket, ...other }, { timeout_ms: 2_000 })
        for (const call of [
          () => refused.get('kept'),
          () => refused.get('missing'),
          () => refused.put('kept', inPieces(Buffer.from('changed'))),
          () => refused.put('new', inPieces(Buffer.from('new'))),
          () => refused.delete('kept'),
        ]) {
          await assert.rejects(call, (error) => error instanceof ProblemError && error.code === 'unavailable')
        }
        assert.deepEqual(await keysIn(), earlier)
        assert.equal(String(await read(storage, 'kept')), 'kept')
      })
    }
  })
})
