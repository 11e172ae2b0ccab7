import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ConfigError, describeSettings, inspectConfig, loadDatabaseConfig } from '../../src/settings/config.ts'
import { settingsSchema } from '../../src/settings/schema.ts'
import { SETTINGS } from '../../src/settings/table.ts'
import { readSources } from '../support/sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'banyan-settings-'))
after(() => rmSync(folder, { recursive: true }))

function file(name: string, content: string | object): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const inUse = (environment: Record<string, string>) => {
  const { settings, errors } = describeSettings(environment)
  const one = (name: keyof typeof SETTINGS) => {
    const { value, source } = settings.find((setting) => setting.name === name) ?? assert.fail(name)
    return [value, source]
  }
  return { one, settings, errors }
}

const errorsOf = (environment: Record<string, string>) => inUse(environment).errors

describe('a setting comes', () => {
  it('from the environment, else from the settings file, else it is the default', () => {
    const BANYAN_CONFIG = file('three.json', { $schema: 'x', PORT: 9000, METRICS_PORT: 9100, SHARE_STATEMENTS: true })
    const { one, errors } = inUse({ BANYAN_CONFIG, PORT: '9001', METRICS_PORT: '' })
    assert.deepEqual(errors, [])
    assert.deepEqual(one('PORT'), ['9001', 'environment'])
    assert.deepEqual(one('METRICS_PORT'), ['9100', 'settings file'], 'an empty variable is not set')
    assert.deepEqual(one('SHARE_STATEMENTS'), ['true', 'settings file'])
    assert.deepEqual(one('SANDBOX_PORT'), ['8081', 'default'])
    assert.deepEqual(one('PUBLIC_URL'), ['http://localhost:9001', 'default'], 'a default follows from what is set')
    assert.deepEqual(one('S3_BUCKET'), ['', 'unused'])
  })

  it('if it is a secret, also from a file that the environment or the settings file names', () => {
    const password = file('url', 'postgres://us:hidden@db.example.com/banyan\n')
    const url = 'postgres://us:hidden@db.example.com/banyan'
    assert.equal(loadDatabaseConfig({ DATABASE_URL_FILE: password }).databaseUrl, url)
    const BANYAN_CONFIG = file('named.json', { DATABASE_URL_FILE: password })
    assert.equal(loadDatabaseConfig({ BANYAN_CONFIG }).databaseUrl, url)
    assert.deepEqual(inUse({ BANYAN_CONFIG }).one('DATABASE_URL')[1], 'file named in the settings file')
  })
})

describe('all errors are named at once', () => {
  it('also of values that the command does not use, and without a value in any sentence', () => {
    const BANYAN_CONFIG = file('wrong.json', {
      PORT: 'eighty',
      RATE_LIMIT_USR: 5,
      HASH_KEY: ['secret'],
      LOG_LEVEL: null,
    })
    const call = () => loadDatabaseConfig({ BANYAN_CONFIG, S3_FORCE_PATH_STYLE: 'perhaps', TWILIO_URL: 'secret' })
    assert.throws(call, (error: Error) => {
      assert(error instanceof ConfigError)
      assert.deepEqual(error.message.split('\n').toSorted(), [
        'HASH_KEY in the settings file must be a string, a number or a boolean.',
        'LOG_LEVEL in the settings file must be a string, a number or a boolean.',
        'PORT must be a whole number from 1 to 65535.',
        'RATE_LIMIT_USR in the settings file is no setting. Is RATE_LIMIT_USER meant?',
        'S3_FORCE_PATH_STYLE must be true or false.',
        'TWILIO_URL must be a URL that starts with http:// or https://.',
      ])
      assert.doesNotMatch(error.message, /secret|eighty|perhaps/)
      return true
    })
  })

  it('a password that breaks the URL of the database, with how to write it', () => {
    assert.deepEqual(errorsOf({ DATABASE_URL: 'postgres://banyan:s/cret@db.test/banyan' }), [
      'DATABASE_URL is no URL: in a user name or a password, write / as %2F, # as %23, ? as %3F, @ as %40 and % as %25.',
    ])
  })

  it('an end of one-time codes that is neither a domain nor the hash of an app', () => {
    const rejected = (SMS_AUTOFILL: string) =>
      inspectConfig({ SMS_AUTOFILL }).errors.filter((words) => words.startsWith('SMS_AUTOFILL')).length
    for (const right of ['app.example.com', 'FA+9qCX9VSu']) assert.equal(rejected(right), 0, right)
    for (const wrong of ['https://app.example.com', 'localhost', 'FA+9qCX9VS', '@app.example.com'])
      assert.equal(rejected(wrong), 1, wrong)
  })

  it('variables that begin with BANYAN_, and those that are almost a missing setting', () => {
    assert.deepEqual(errorsOf({ BANYAN_CONFG: 'x', BANYAN_SPEED: '2', BANYAN_TOKEN: 'of `events listen`' }), [
      'BANYAN_CONFG is no setting. Is BANYAN_CONFIG meant?',
      'BANYAN_SPEED is no setting.',
    ])
    assert.deepEqual(errorsOf({ DATABSE_URL: 'x', RATE_LIMIT_PLATFROM: '5', HAHS_KEY: 'x' }), [
      'DATABSE_URL is no setting. Is DATABASE_URL meant?',
      'RATE_LIMIT_PLATFROM is no setting. Is RATE_LIMIT_PLATFORM meant?',
      'HAHS_KEY is no setting. Is HASH_KEY meant?',
    ])
  })

  it('a password in an address that is no secret, of which nothing is said', () => {
    const named = {
      OPERATOR_URL: 'https://us:hidden@operator.example.com/v1',
      TWILIO_URL: 'https://hidden@sms.example.com',
    }
    assert.deepEqual(errorsOf(named), [
      'OPERATOR_URL must not have a user name or a password in it.',
      'TWILIO_URL must not have a user name or a password in it.',
    ])
  })

  it('but not those of other programs', () => {
    const others = {
      AWS_REGION: 'x',
      AWS_ACCESS_KEY_ID: 'x',
      PORTS: 'x',
      HOSTNAME: 'x',
      OPERATOR_PORT: 'tcp://x',
      PATH: 'x',
    }
    const alongside = { DATABASE_URL: 'postgres://localhost/banyan', DATABASE_URL_2: 'of another program' }
    assert.deepEqual(errorsOf({ ...others, ...alongside }), [])
  })

  it('a settings file or a secret that cannot be read, and one that is set twice', () => {
    const missing = join(folder, 'missing')
    assert.deepEqual(errorsOf({ BANYAN_CONFIG: missing }), ['BANYAN_CONFIG cannot be read: ENOENT.'])
    assert.deepEqual(errorsOf({ BANYAN_CONFIG: file('half', '{"HASH_KEY":"secr') }), ['BANYAN_CONFIG is not JSON.'])
    assert.deepEqual(errorsOf({ BANYAN_CONFIG: file('list', '[]') }), ['BANYAN_CONFIG must contain one JSON object.'])
    assert.deepEqual(errorsOf({ HASH_KEY_FILE: missing }), ['HASH_KEY_FILE cannot be read: ENOENT.'])
    assert.deepEqual(errorsOf({ HASH_KEY_FILE: file('empty', ' \n') }), ['HASH_KEY_FILE names an empty file.'])
    assert.deepEqual(errorsOf({ HASH_KEY: 'x', HASH_KEY_FILE: file('x', 'x') }), [
      'HASH_KEY and HASH_KEY_FILE must not both be set.',
    ])
  })
})

describe('what is printed', () => {
  it('takes every text that is named a key, a secret, a token or a passphrase for a secret', () => {
    const isNamedSecret = (name: string) => /(_KEYS?|_KEY_ID|_SECRET|_TOKEN|_PASSPHRASE)$/.test(name)
    const printed = Object.entries(SETTINGS)
      .filter(([name, setting]) => setting.kind === 'text' && isNamedSecret(name) && !('secret' in setting))
      .map(([name]) => name)
    assert.deepEqual(printed, ['KMS_KEY_ID'])
  })

  it('has no secret', () => {
    const secrets = Object.entries(SETTINGS).filter(([, setting]) => 'secret' in setting)
    const isUrl = (kind: string) => kind === 'url'
    const environment = Object.fromEntries(
      secrets.map(([name, { kind }]) => [name, isUrl(kind) ? 'postgres://us:hidden@h/b?sslpassword=hidden' : 'hidden']),
    )
    assert(secrets.length > 12)
    const { settings } = describeSettings({ ...environment, OPERATOR_URL: 'https://us:hidden@company.example.com/' })
    assert.doesNotMatch(JSON.stringify(settings), /hidden/)
    assert.match(JSON.stringify(settings), /https:\/\/us:\*\*\*@company/)
  })
})

describe('the table of settings', () => {
  it('is accepted as a JSON Schema, which accepts what the program accepts', () => {
    const validate = new Ajv2020({ allErrors: true }).compile(settingsSchema())
    assert(
      validate({ $schema: './settings.schema.json', PORT: 9000, HASH_KEY_FILE: '/run/hash', REQUIRE_PURPOSE: true }),
    )
    assert(!validate({ PORT: 70_000 }))
    assert(!validate({ PROT: 9000 }))
    const defaults = Object.entries(SETTINGS).flatMap(([name, { kind, ...setting }]) => {
      if (!('fallback' in setting)) return []
      return [[name, ['integer', 'ratio', 'flag'].includes(kind) ? JSON.parse(setting.fallback) : setting.fallback]]
    })
    assert(validate(Object.fromEntries(defaults)), JSON.stringify(validate.errors))
  })

  it('has no setting that nothing reads', () => {
    const code = readSources('src')
      .filter(({ path }) => !/^src\/settings\/[a-z]+-settings\.ts$/.test(path))
      .map((source) => source.code)
      .join('')
    assert.deepEqual(
      Object.keys(SETTINGS).filter((name) => !code.includes(`'${name}'`)),
      [],
    )
  })
})
