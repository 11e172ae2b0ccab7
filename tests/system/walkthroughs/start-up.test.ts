import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { ConfigError, loadConfig } from '../../../src/settings/config.ts'
import { createMetricsPage } from '../../../src/boot/parts.ts'
import { cloneDatabase } from '../../support/database.ts'
import { COMPANIES, newKeys, TWILIO } from '../../support/production.ts'
import { newWorkspace, newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'

const workspace = await newWorkspace()
after(() => workspace.remove())

const start = (environment: Record<string, string>) =>
  runCommand(['start'], { ...workspace.environment, ...environment })
const sentences = (text: string) => text.trimEnd().split('\n')
const isOpen = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(60_000) }).then(
    () => true,
    () => false,
  )

const MISSING_TWILIO = Object.keys(TWILIO).map((name) => `${name} must be set when SMS_GATEWAY is twilio.`)
const STORAGE = { DOCUMENT_STORAGE: 'folder' }
const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: workspace.origin, ...COMPANIES, ...TWILIO, ...STORAGE }

const problemOf = (environment: Record<string, string>) => {
  try {
    loadConfig({ ...workspace.environment, ...environment })
  } catch (error) {
    assert(error instanceof ConfigError)
    return sentences(error.message)
  }
  return []
}

describe('start rejects invalid settings', () => {
  it('exit 2 with a sentence for each error, all at once', async () => {
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
      ACCOUNT_PROVIDER_URL: 'bank.example.com',
      OPERATOR_SECRET: 'short',
      SMS_GATEWAY: 'pigeon',
      DOCUMENT_STORAGE: 'drawer',
      OIDC_ISSUER: 'login.example.com',
      OIDC_CLIENT_ID: 'banyan',
      OIDC_ROLES: 'admins=king',
    })
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.deepEqual(sentences(stderr), [
      'NODE_ENV must be one of development, production, test.',
      'PORT must be a whole number from 1 to 65535.',
      'METRICS_PORT must be a whole number from 1 to 65535.',
      'PUBLIC_URL must not have a path.',
      'DATABASE_URL must be a URL that starts with postgres:// or postgresql://.',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, silent.',
      'DATABASE_POOL_SIZE must be a whole number from 2 to 100.',
      'SHARE_STATEMENTS must be true or false.',
      'TRUSTED_PROXIES must be a whole number from 0 to 10.',
      'ACCOUNT_PROVIDER_URL must be a URL that starts with http:// or https://.',
      'OIDC_CLIENT_SECRET must be set when OIDC_ISSUER is set.',
      'OIDC_ISSUER must be a URL that starts with http:// or https://.',
      'OIDC_ROLES must be a comma-separated list of value=role, each value once, with the roles viewer, operator, owner, platform:{id} and benefit_provider:{id or code}.',
      'SMS_GATEWAY must be one of sandbox, twilio.',
      'DOCUMENT_STORAGE must be one of folder, s3.',
      'OPERATOR_SECRET must have at least 16 characters.',
    ])
    assert(!existsSync(workspace.dataDir), 'a refused start leaves nothing behind')
  })

  it('equal ports and malformed keys are rejected, and no key is printed', () => {
    const port = workspace.environment['PORT'] as string
    assert.deepEqual(problemOf({ METRICS_PORT: port }), ['PORT, SANDBOX_PORT and METRICS_PORT must differ.'])

    const inProduction = { ...PRODUCTION, DATABASE_URL: 'postgres://localhost/banyan', SANDBOX_PORT: port }
    assert(!problemOf(inProduction).some((sentence) => sentence.includes('differ')), 'no sandbox runs there')

    const noKeys = { SIGNING_KEYS: '{}', MASTER_KEYS: 'm1:c2hvcnQ=', HASH_KEY: 'x', ADMIN_API_KEYS: 'short' }
    const problem = problemOf({ ...PRODUCTION, DATABASE_URL: 'postgres://localhost/banyan', ...noKeys })
    assert.deepEqual(
      problem.map((sentence) => sentence.split(' ', 1)[0]),
      Object.keys(noKeys),
    )
    assert(!problem.join().includes('c2hvcnQ='))
  })
})

describe('the metrics', () => {
  it('are on this machine alone, also in production where the API is not, unless an address is named for them', async () => {
    const database = { DATABASE_URL: 'postgres://localhost/banyan' }
    const inProduction = loadConfig({ ...workspace.environment, ...PRODUCTION, ...database, ...newKeys() })
    assert.deepEqual([inProduction.host, inProduction.metricsHost], ['0.0.0.0', '127.0.0.1'])
    const { metricsHost, metricsPort } = loadConfig({
      ...workspace.environment,
      DATA_DIR: join(workspace.dataDir, '..', 'of-settings'),
      METRICS_HOST: '127.0.0.2',
    })
    const close = await createMetricsPage({ metricsHost, metricsPort }, async () => 'banyan_up 1')
    assert.equal(await isOpen(`http://127.0.0.2:${metricsPort}/metrics`), true)
    assert.equal(await isOpen(`http://127.0.0.1:${metricsPort}/metrics`), false)
    await close()
  })

  it('do not decide whether the process lives: /livez responds while a frozen database holds them up', async () => {
    const { metricsHost, metricsPort } = loadConfig({
      ...workspace.environment,
      DATA_DIR: join(workspace.dataDir, '..', 'of-settings'),
    })
    const close = await createMetricsPage({ metricsHost, metricsPort }, () => new Promise(() => {}))
    const response = await fetch(`http://${metricsHost}:${metricsPort}/livez`)
    assert.deepEqual([response.status, await response.text()], [200, ''])
    await close()
  })
})

describe('a database that is read-only', () => {
  it('exit 1 of serve and work, which say so, so that a supervisor restarts them until it accepts writes', async () => {
    const own = await newWorkspaceWithDatabase()
    after(own.remove)
    const [row] = await own.sql<{ name: string }>('select current_database() as name')
    await own.sql(`alter database ${row?.name} set default_transaction_read_only = on`)
    for (const command of ['serve', 'work']) {
      const { code, stderr } = await runCommand([command], own.environment)
      assert.equal(code, 1)
      assert.match(stderr, /^The database cannot be used: cannot execute \w+ in a read-only transaction\.$/m)
    }
  })
})

describe('administrators log in', () => {
  const oidcOf = (environment: Record<string, string>) => {
    const { oidc } = loadConfig({ DATA_DIR: join(workspace.dataDir, '..', 'of-settings'), ...environment })
    return oidc && { ...oidc, roles: Object.fromEntries(oidc.roles) }
  }
  const PROVIDER = {
    OIDC_ISSUER: 'https://login.example.com/',
    OIDC_CLIENT_ID: 'one',
    OIDC_CLIENT_SECRET: 'of our own',
  }
  const usual = { scope: 'openid profile email', roleClaim: 'roles', requiredAcr: [] }
  const roles = { viewer: 'viewer', operator: 'operator', owner: 'owner' }

  it('at the sandbox, unless a provider is configured', () => {
    const sandbox = { issuer: 'http://localhost:8181/oidc', clientId: 'banyan', clientSecret: 'sandbox' }
    const ofPartners = { desk: 'benefit_provider:DEMO_INSURER', support: 'platform:plt_00000000000000000000000001' }
    assert.deepEqual(oidcOf({ SANDBOX_PORT: '8181' }), { ...sandbox, ...usual, roles: { ...roles, ...ofPartners } })
    assert.deepEqual(oidcOf({ OIDC_ROLES: 'owner=owner' })?.roles, { owner: 'owner' })
    const named = { issuer: 'https://login.example.com/', clientId: 'one', clientSecret: 'of our own' }
    assert.deepEqual(oidcOf(PROVIDER), { ...named, ...usual, roles })
  })

  it('with roles from the configured claim and values', () => {
    const named = { OIDC_SCOPE: 'openid groups', OIDC_ROLE_CLAIM: 'groups' }
    const { scope, roleClaim, roles } =
      oidcOf({ ...PROVIDER, ...named, OIDC_ROLES: 'all staff=viewer, CN=Ops,OU=A=operator,a=b=owner,a=owner' }) ?? {}
    assert.deepEqual([scope, roleClaim], ['openid groups', 'groups'])
    assert.deepEqual(roles, { 'all staff': 'viewer', 'CN=Ops,OU=A': 'operator', 'a=b': 'owner', a: 'owner' })
    for (const wrong of ['owner', '=owner', 'a=owner b=king', 'a=owner,a=viewer', 'a=Owner', ' ']) {
      assert.match(String(problemOf({ OIDC_ROLES: wrong })), /^OIDC_ROLES must be/, wrong)
    }
  })

  it('with any strength, or one of those that are configured', () => {
    const acr = (text: string) => oidcOf({ ...PROVIDER, OIDC_REQUIRED_ACR: text })?.requiredAcr
    assert.deepEqual(acr(''), [])
    assert.deepEqual(acr('phr, urn:example:two-factors'), ['phr', 'urn:example:two-factors'])
    for (const nothing of [' ', ',', ' , ']) {
      assert.deepEqual(problemOf({ OIDC_REQUIRED_ACR: nothing }), [
        'OIDC_REQUIRED_ACR must be a comma-separated list of acr values.',
      ])
    }
  })

  it('nowhere in production unless a provider is configured, and there over https only', () => {
    const inProduction = { ...PRODUCTION, DATABASE_URL: 'postgres://localhost/banyan' }
    const errors = (environment: Record<string, string>) =>
      problemOf({ ...inProduction, ...environment }).filter((sentence) => sentence.includes('OIDC'))
    assert.deepEqual(errors({}), [])
    assert.deepEqual(errors(PROVIDER), [])
    assert.deepEqual(errors({ ...PROVIDER, OIDC_ISSUER: 'http://login.example.com' }), [
      'OIDC_ISSUER must be a URL that starts with https://.',
    ])
  })
})

describe('webhooks are sent', () => {
  it('only to https on the internet in production, and also to this machine in development', () => {
    const dataDir = join(workspace.dataDir, '..', 'of-webhooks')
    const targetsOf = (environment: Record<string, string>) =>
      loadConfig({ DATA_DIR: dataDir, ...environment }).webhookTargets
    assert.deepEqual(targetsOf({}), { ports: [443, 8443], allowsLoopback: true })
    const chosen = targetsOf({ WEBHOOK_PORTS: '443, 4443', WEBHOOK_LOOPBACK: 'false' })
    assert.deepEqual(chosen, { ports: [443, 4443], allowsLoopback: false })
    const reported = problemOf({ ...PRODUCTION, WEBHOOK_LOOPBACK: 'true', WEBHOOK_PORTS: '443,https' })
    assert(reported.includes('WEBHOOK_LOOPBACK cannot be true in production.'))
    assert(reported.includes('WEBHOOK_PORTS must be a comma-separated list of ports from 1 to 65535.'))
  })
})

describe('documents are stored', () => {
  const dataDir = join(workspace.dataDir, '..', 'of-settings')
  const storageOf = (environment: Record<string, string>) => loadConfig({ DATA_DIR: dataDir, ...environment }).storage
  const BUCKET = { DOCUMENT_STORAGE: 's3', S3_BUCKET: 'our-files', S3_REGION: 'ap-south-1' }
  const SECRET = 'a-secret-not-to-be-printed'

  it('in a folder inside the data folder, or in another', () => {
    assert.deepEqual(storageOf({}), { kind: 'folder', folder: join(dataDir, 'documents') })
    assert.deepEqual(storageOf({ DOCUMENT_FOLDER: 'files/here/' }), { kind: 'folder', folder: resolve('files/here') })
    assert(!existsSync(join(dataDir, 'documents')), 'reading the settings makes no folder')
  })

  it('in an Amazon bucket, or on another server', () => {
    const bucket = { kind: 's3', bucket: 'our-files', region: 'ap-south-1' }
    const amazon = { ...bucket, endpoint: null, forcePathStyle: false, credentials: null }
    assert.deepEqual(storageOf(BUCKET), amazon)
    assert.deepEqual(storageOf({ ...BUCKET, S3_ENDPOINT: '', S3_ACCESS_KEY_ID: '', S3_SECRET_ACCESS_KEY: '' }), amazon)
    const other = {
      S3_ENDPOINT: 'https://files.example.com/',
      S3_FORCE_PATH_STYLE: 'true',
      S3_ACCESS_KEY_ID: 'us',
      S3_SECRET_ACCESS_KEY: SECRET,
    }
    assert.deepEqual(storageOf({ ...BUCKET, ...other }), {
      ...bucket,
      endpoint: 'https://files.example.com',
      forcePathStyle: true,
      credentials: { accessKeyId: 'us', secretAccessKey: SECRET },
    })
  })

  it('nowhere with invalid settings, and no secret is printed', () => {
    assert.deepEqual(problemOf({ DOCUMENT_STORAGE: 's3' }), [
      'S3_BUCKET must be set when DOCUMENT_STORAGE is s3.',
      'S3_REGION must be set when DOCUMENT_STORAGE is s3.',
    ])
    const nonsense = { S3_BUCKET: 's3://our-files', S3_ENDPOINT: 'files.example.com', S3_FORCE_PATH_STYLE: 'yes' }
    const problem = problemOf({ ...BUCKET, ...nonsense, S3_SECRET_ACCESS_KEY: SECRET })
    assert.deepEqual(problem, [
      'S3_BUCKET must have 3 to 63 lower-case letters, digits, dots and hyphens.',
      'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together, or neither.',
      'S3_ENDPOINT must be a URL that starts with http:// or https://.',
      'S3_FORCE_PATH_STYLE must be true or false.',
    ])
    assert.equal(problemOf({ ...BUCKET, S3_ACCESS_KEY_ID: 'us' }).length, 1)
  })
})

describe('start in production', () => {
  it('exit 2 for missing keys, naming each, and no sandbox', async () => {
    const { code, stderr } = await start({ NODE_ENV: 'production' })
    assert.equal(code, 2)
    assert.deepEqual(sentences(stderr), [
      ...['PUBLIC_URL', 'DATABASE_URL', ...Object.keys(COMPANIES)].map((name) => `${name} must be set in production.`),
      ...MISSING_TWILIO,
      ...['DOCUMENT_STORAGE', 'SIGNING_KEYS', 'MASTER_KEYS', 'HASH_KEY', 'ADMIN_API_KEYS'].map(
        (name) => `${name} must be set in production.`,
      ),
    ])
    assert.equal(await isOpen(workspace.sandboxUrl), false)
  })

  it('starts with the keys of a used data folder, without a sandbox; its development commands exit 2', async () => {
    const database = await cloneDatabase()
    after(database.close)
    const urls = { DATABASE_URL: database.appUrl, MIGRATION_DATABASE_URL: database.ownerUrl }
    const environment = { ...PRODUCTION, ...urls, HOST: '127.0.0.1', ...newKeys() }
    for (const command of ['sandbox', 'demo'])
      for (const set of [environment, { NODE_ENV: 'production' }]) {
        const { code, stderr } = await runCommand([command], { ...workspace.environment, ...set })
        assert.equal(code, 2, command)
        assert.match(stderr, /^The .* not run in production\.\n$/)
      }
    const server = await startServer(workspace, environment)
    try {
      assert.equal(await isOpen(workspace.metricsUrl), true)
      assert.equal(await isOpen(workspace.sandboxUrl), false)
      assert(!server.output().stdout.includes('Sandbox'))
      assert(!existsSync(join(workspace.dataDir, 'keys')), 'no keys are made')
    } finally {
      assert.equal((await server.stop()).code, 0)
    }
  })
})

describe('start with other keys than the database was created with', () => {
  it('exit 1 with a sentence, and it works again with the original keys', async () => {
    const own = await newWorkspaceWithDatabase()
    after(() => own.remove())
    assert.equal((await (await startServer(own)).stop()).code, 0)
    const file = join(own.dataDir, 'keys', 'hash-key')
    renameSync(file, `${file}.lost`)
    const { code, stdout, stderr } = await runCommand(['start'], { ...own.environment, LOG_LEVEL: 'silent' })
    const sentence = 'HASH_KEY is not the key this database was filled with. Set the original key.\n'
    assert.deepEqual([code, stdout, stderr], [1, '', sentence])
    renameSync(`${file}.lost`, file)
    assert.equal((await (await startServer(own)).stop()).code, 0)
  })
})

describe('start when another program has the port', () => {
  it('exit 1 with a sentence, and no database keeps running', async () => {
    const holder = createServer().listen(Number(workspace.environment['PORT']), '127.0.0.1')
    await once(holder, 'listening')
    const { code, stderr } = await start({ LOG_LEVEL: 'silent' })
    await once(holder.close(), 'close')
    assert.equal(code, 1)
    assert.match(stderr, /^listen EADDRINUSE.*: another program uses that port\. Choose others with PORT, .*\n$/)
    assert(!existsSync(join(workspace.dataDir, 'postgres', 'cluster', 'postmaster.pid')), 'the database was stopped')
  })
})
