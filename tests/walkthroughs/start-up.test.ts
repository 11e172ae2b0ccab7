import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { ConfigError, loadConfig } from '../../src/config.ts'
import { newPlace, runCommand, startServer } from '../support/server.ts'

const place = await newPlace()
after(() => place.remove())

const start = (environment: Record<string, string>) => runCommand(['start'], { ...place.environment, ...environment })
const sentences = (text: string) => text.trimEnd().split('\n')
const isOpen = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  )

const COMPANIES = {
  BANK_URL: place.sandboxUrl,
  BANK_API_KEY: 'key',
  OPERATOR_URL: place.sandboxUrl,
  OPERATOR_API_KEY: 'key',
  OPERATOR_SECRET: 'sixteen characters',
}
const TWILIO = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'token', TWILIO_FROM: '+15005550006' }
const MISSING_TWILIO = Object.keys(TWILIO).map((name) => `${name} must be set when SMS_GATEWAY is twilio.`)
const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: place.origin, ...COMPANIES, ...TWILIO }

describe('start refuses settings that make no sense', () => {
  it('exit 2 with a sentence for each fault, all at once', async () => {
    const { code, stdout, stderr } = await start({
      NODE_ENV: 'staging',
      PORT: 'eighty',
      METRICS_PORT: '70000',
      PUBLIC_URL: 'http://localhost/api',
      DATABASE_URL: 'mysql://localhost/banyan',
      DATABASE_POOL_SIZE: '1',
      SHARE_STATEMENTS: 'yes',
      LOG_LEVEL: 'loud',
      TRUSTED_PROXIES: 'all',
      BANK_URL: 'bank.example.com',
      OPERATOR_SECRET: 'short',
      SMS_GATEWAY: 'pigeon',
    })
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.deepEqual(sentences(stderr), [
      'NODE_ENV must be development, test or production.',
      'PORT must be a whole number from 1 to 65535.',
      'METRICS_PORT must be a whole number from 1 to 65535.',
      'PUBLIC_URL must not have a path.',
      'DATABASE_URL must be an address that starts with postgres:// or postgresql://.',
      'DATABASE_POOL_SIZE must be a whole number from 2 to 100.',
      'SHARE_STATEMENTS must be true or false.',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, silent.',
      'TRUSTED_PROXIES must be a whole number from 0 to 10.',
      'BANK_URL must be an address that starts with http:// or https://.',
      'SMS_GATEWAY must be one of sandbox, twilio.',
      ...MISSING_TWILIO,
      'OPERATOR_SECRET must have at least 16 characters.',
    ])
    assert(!existsSync(place.dataDir), 'a refused start leaves nothing behind')
  })

  it('ports that are the same and keys that are none are refused, and no key is printed', () => {
    const refusalOf = (environment: Record<string, string>) => {
      try {
        loadConfig({ ...place.environment, ...environment })
      } catch (error) {
        assert(error instanceof ConfigError)
        return sentences(error.message)
      }
      return []
    }
    const port = place.environment['PORT'] as string
    assert.deepEqual(refusalOf({ METRICS_PORT: port }), ['PORT, SANDBOX_PORT and METRICS_PORT must differ.'])

    const noKeys = { SIGNING_KEYS: '{}', MASTER_KEYS: 'm1:c2hvcnQ=', HASH_KEY: 'x', ADMIN_API_KEYS: 'short' }
    const refusal = refusalOf({ ...PRODUCTION, ...noKeys })
    assert.deepEqual(
      refusal.map((sentence) => sentence.split(' ', 1)[0]),
      Object.keys(noKeys),
    )
    assert(!refusal.join().includes('c2hvcnQ='))
  })
})

describe('start in production', () => {
  it('exit 2 without keys, each named, and no sandbox', async () => {
    const { code, stderr } = await start({ NODE_ENV: 'production' })
    assert.equal(code, 2)
    assert.deepEqual(sentences(stderr), [
      ...['PUBLIC_URL', ...Object.keys(COMPANIES)].map((name) => `${name} must be set in production.`),
      ...MISSING_TWILIO,
      ...['SIGNING_KEYS', 'MASTER_KEYS', 'HASH_KEY', 'ADMIN_API_KEYS'].map(
        (name) => `${name} must be set in production.`,
      ),
    ])
    assert.equal(await isOpen(place.sandboxUrl), false)
  })

  it('starts with the keys that a filled folder holds, without a sandbox; its development commands exit 2', async () => {
    const environment = { ...PRODUCTION, HOST: '127.0.0.1', ...(await newKeys()) }
    for (const command of ['sandbox', 'demo']) {
      const { code, stderr } = await runCommand([command], { ...place.environment, ...environment })
      assert.equal(code, 2, command)
      assert.match(stderr, /^The .* not run in production\.\n$/)
    }
    const server = await startServer(place, environment)
    try {
      assert.equal(await isOpen(place.metricsUrl), true)
      assert.equal(await isOpen(place.sandboxUrl), false)
      assert(!server.output().stdout.includes('Sandbox'))
      assert(!existsSync(join(place.dataDir, 'keys')), 'no keys are made')
    } finally {
      assert.equal((await server.stop()).code, 0)
    }
  })
})

describe('start where another program has the port', () => {
  it('exit 1 with a sentence, and no database stays behind', async () => {
    const holder = createServer().listen(Number(place.environment['PORT']), '127.0.0.1')
    await once(holder, 'listening')
    const { code, stderr } = await start({ LOG_LEVEL: 'silent' })
    await once(holder.close(), 'close')
    assert.equal(code, 1)
    assert.match(stderr, /^listen EADDRINUSE.*: another program has that port\.\n$/)
    assert(!existsSync(join(place.dataDir, 'postgres', 'cluster', 'postmaster.pid')), 'the database was stopped')
  })
})

const KEY_FILES = {
  SIGNING_KEYS: 'signing-keys.json',
  MASTER_KEYS: 'master-keys',
  HASH_KEY: 'hash-key',
  ADMIN_API_KEYS: 'admin-api-key',
}

/** A set of keys, made as README says. */
async function newKeys(): Promise<Record<string, string>> {
  const folder = await newPlace()
  await runCommand(['token', '--role', 'owner'], folder.environment)
  const keys = Object.entries(KEY_FILES).map(([name, file]) => [
    name,
    readFileSync(join(folder.dataDir, 'keys', file), 'utf8'),
  ])
  await folder.remove()
  return Object.fromEntries(keys)
}
