import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createAwsKms } from '../../../src/kernel/crypto/aws-kms.ts'
import { loadMasterKeys } from '../../../src/kernel/crypto/master-key-source.ts'
import { StartError } from '../../../src/kernel/start-error.ts'
import { startKmsDouble } from '../../support/kms-double.ts'
import { newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'

const kms = await startKmsDouble()
after(() => kms.close())
const source = { kind: 'aws-kms', ...kms.settings } as const

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => {
      assert(error instanceof StartError, String(error))
      return error.message
    },
  )

const sentence = (what: string, name: string) =>
  `AWS KMS did not ${what}: ${name}. Check that it can be reached, and KMS_KEY_ID, KMS_REGION, KMS_ENDPOINT and the KMS keys.`

describe('master keys from AWS KMS', () => {
  it('are created and opened by signed requests, once each, and the configured value is not the key', async () => {
    const adapter = await createAwsKms(kms.settings)
    const stored = await adapter.make('m1')
    const [key] = await loadMasterKeys(source, [{ id: 'm1', key: stored }])
    assert.equal(key?.key.length, 32)
    assert(!stored.includes(key.key))
    assert.deepEqual(kms.asked.splice(0), ['GenerateDataKeyWithoutPlaintext', 'Decrypt'])
    const [again] = await loadMasterKeys(source, [{ id: 'm1', key: stored }])
    assert(again?.key.equals(key.key))
  })

  it('fail with an explanation for another name, another secret or a foreign ciphertext', async () => {
    const stored = await (await createAwsKms(kms.settings)).make('m1')
    const open = (id: string, key: Buffer, more = {}) => loadMasterKeys({ ...source, ...more }, [{ id, key }])
    assert.equal(await errorOf(open('m2', stored)), sentence('open the master key m2', 'InvalidCiphertextException'))
    assert.equal(
      await errorOf(open('m1', Buffer.alloc(80))),
      sentence('open the master key m1', 'InvalidCiphertextException'),
    )
    const credentials = { ...kms.settings.credentials, secretAccessKey: 'another one' }
    assert.equal(
      await errorOf(open('m1', stored, { credentials })),
      sentence('open the master key m1', 'InvalidSignatureException'),
    )
  })

  it('fail within a bounded time when nobody responds, or nothing listens', async () => {
    kms.state.isSilent = true
    const silent = await createAwsKms(kms.settings, { timeout_ms: 100 })
    assert.match(await errorOf(silent.unwrap('m1', Buffer.alloc(80))), /^AWS KMS did not open the master key m1: \w+\./)
    kms.state.isSilent = false
    const nobody = await createAwsKms({ ...kms.settings, endpoint: 'http://127.0.0.1:9' })
    assert.match(await errorOf(nobody.unwrap('m1', Buffer.alloc(80))), /^AWS KMS did not open the master key m1: \w+\./)
  })
})

describe('keys new-master', () => {
  it('exit 2 for an id that MASTER_KEYS could not hold, and says what an id has', async () => {
    const { code, stdout, stderr } = await runCommand(['keys', 'new-master', 'of 2026'], {})
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /^error: .*'of 2026' is invalid.* An id has 1 to 32 characters of A-Z a-z 0-9 _ -\.\n$/)
  })
})

describe('a program whose master keys are wrapped by a KMS', () => {
  it('starts with the output of `keys new-master`, stores no key of its own, and exits with 1 when the KMS is down', async () => {
    const workspace = await newWorkspaceWithDatabase()
    after(() => workspace.remove())
    const settings = {
      MASTER_KEY_SOURCE: 'aws-kms',
      KMS_KEY_ID: kms.settings.keyId,
      KMS_REGION: kms.settings.region,
      KMS_ENDPOINT: kms.settings.endpoint,
      KMS_ACCESS_KEY_ID: kms.settings.credentials.accessKeyId,
      KMS_SECRET_ACCESS_KEY: kms.settings.credentials.secretAccessKey,
    }
    const made = await runCommand(['keys', 'new-master', 'k1'], { ...workspace.environment, ...settings })
    assert.deepEqual([made.code, made.stderr], [0, ''])
    const environment = { ...settings, MASTER_KEYS: made.stdout.trim() }
    const server = await startServer(workspace, environment)
    assert.equal((await server.stop()).code, 0)
    const status = await runCommand(['keys', 'status'], { ...workspace.environment, ...environment })
    assert.match(status.stdout, /^MASTER_KEYS k1 {2}\w{12} {2}0 data keys, wraps new data keys\n/)
    assert.equal(status.code, 0)
    const away = await runCommand(['start'], {
      ...workspace.environment,
      ...environment,
      LOG_LEVEL: 'silent',
      KMS_ENDPOINT: 'http://127.0.0.1:9',
    })
    assert.deepEqual([away.code, away.stdout], [1, ''])
    assert.match(away.stderr, /^AWS KMS did not open the master key k1: /)
  })

  it('reads them from the named file, and exits with 2 when it is missing', async () => {
    const workspace = await newWorkspaceWithDatabase()
    after(() => workspace.remove())
    const file = join(workspace.folder, 'master-keys')
    const environment = { ...workspace.environment, MASTER_KEY_SOURCE: 'file', MASTER_KEYS_FILE: file }
    const missing = await runCommand(['start'], environment)
    assert.deepEqual([missing.code, missing.stderr], [2, 'MASTER_KEYS_FILE cannot be read: ENOENT.\n'])
    await writeFile(file, `f1:${Buffer.alloc(32, 5).toString('base64')}\n`)
    const server = await startServer(workspace, environment)
    assert.equal((await server.stop()).code, 0)
    const status = await runCommand(['keys', 'status'], environment)
    assert.match(status.stdout, /^MASTER_KEYS f1 /)
  })
})
