import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { inspectConfig } from '../../src/settings/config.ts'
import { SETTINGS } from '../../src/settings/table.ts'
import { pathsBelow, readText } from '../support/sources.ts'

const ROOT = new URL('../../', import.meta.url)
/** Without addresses, which are looked for by themselves, and ids, which open nothing alone. */
const SECRET_NAMES = Object.entries(SETTINGS).flatMap(([name, setting]) =>
  'secret' in setting && setting.kind === 'text' && !name.endsWith('_ID') ? [name] : [],
)

/** What people copy from: texts and files of deployments. Code has only the defaults of development, which are read below. */
const FOLDERS = ['deploy', 'docs', 'samples', 'client', 'client-python', 'templates', 'migrations', '.ci']
const TEXT = /(?:\.(?:md|ya?ml|env|sh|conf|cfg|json|sql|service|txt)|\/[\w-]+|\.env)$/
const files = [
  ...readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && /\.(?:md|json|env)$|^Dockerfile$/.test(entry.name) ? [entry.name] : [],
  ),
  ...FOLDERS.flatMap(pathsBelow),
].filter((path) => TEXT.test(path) || path === 'Dockerfile')

const QUOTE = '["\'`]'
const ASSIGNED = new RegExp(
  `\\b(${SECRET_NAMES.join('|')})["']?[ \\t]*[:=][ \\t]*${QUOTE}?([A-Za-z0-9](?:(?!${QUOTE})[^\\s,;)}])*)`,
  'g',
)
const ADDRESS = /\b(postgres(?:ql)?:\/\/[^\s:/@"'`]+:[A-Za-z0-9][^\s@"'`]*@[^\s"'`,)]+)/g

const texts = files
  .filter((path) => !/node_modules|secrets\.env$|\/\.env$/.test(path))
  .flatMap((path) => {
    try {
      return [{ path, text: readText(path) }]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EISDIR') return []
      throw error
    }
  })

const isRefused = (name: string, value: string) =>
  inspectConfig({ NODE_ENV: 'production', [name]: value }).errors.some(
    (sentence) => sentence.startsWith(`${name} has a secret that anybody can read`) && !sentence.includes(value),
  )

describe('production refuses', () => {
  it('every secret that a text or a file of a deployment prints as a value of a setting', () => {
    const printed = texts.flatMap(({ path, text }) => [
      ...[...text.matchAll(ASSIGNED)].map(([, name = '', value = '']) => ({ path, name, value })),
      ...[...text.matchAll(ADDRESS)].map(([, value = '']) => ({ path, name: 'DATABASE_URL', value })),
    ])
    const literal = printed.filter(({ value }) => !value.includes('$')) // the others are filled in
    assert(texts.length > 100)
    assert(
      literal.some(({ path }) => path === 'docs/operators/postgresql.md'),
      'the walk finds one',
    )
    assert.deepEqual(
      literal.filter(({ name, value }) => !isRefused(name, value)),
      [],
    )
  })

  it('every default of development', () => {
    const { config } = inspectConfig({})
    const defaults = {
      ACCOUNT_PROVIDER_API_KEY: config.accountProvider.apiKey,
      OPERATOR_API_KEY: config.operator.apiKey,
      OPERATOR_SECRET: config.operator.secret,
      OIDC_CLIENT_SECRET: config.oidc?.clientSecret ?? '',
    }
    for (const [name, value] of Object.entries(defaults)) assert(value !== '' && isRefused(name, value), name)
  })

  it('those that Compose had until 0.2.0, in whatever setting, list or address', () => {
    for (const [name, value] of [
      ['OPERATOR_SECRET', 'the-sandbox-operator-signs-with-this'],
      ['S3_SECRET_ACCESS_KEY', 'documents-of-banyan'],
      ['OIDC_CLIENT_SECRET', 'secret-of-the-client'],
      ['TWILIO_AUTH_TOKEN', 'none'],
      ['DATABASE_URL', 'postgresql://banyan_app:app@database/banyan'],
      ['MIGRATION_DATABASE_URL', 'postgresql://banyan_owner@database/banyan?password=owner'],
      ['ADMIN_API_KEYS', `desk:${'k'.repeat(40)}, night:the-sandbox-operator-signs-with-this`],
    ] as const)
      assert(isRefused(name, value), name)
  })

  it('none that is made: development takes all, and so does production what is only similar', () => {
    assert.deepEqual(inspectConfig({ OPERATOR_SECRET: 'the-sandbox-operator-signs-with-this' }).errors, [])
    for (const [name, value] of [
      ['OPERATOR_SECRET', 'the-sandbox-operator-signs-with-this-1'],
      ['DATABASE_URL', 'postgresql://app@owner/sandbox'],
      ['OIDC_CLIENT_ID', 'sandbox'],
    ] as const)
      assert(!isRefused(name, value), name)
  })
})
