import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readSources } from './support/sources.ts'

const src = readSources('src', 'sandbox')

/** The files and packages that are loaded with a file: those that it imports, and so on, but not what it imports on demand. */
function loadedWith(root: string): string[] {
  const loaded = new Set([root])
  for (const path of loaded) {
    const { imports } = src.find((source) => source.path === path) ?? { imports: [] }
    for (const { target, typeOnly, isDeferred } of imports) if (!typeOnly && !isDeferred) loaded.add(target)
  }
  return [...loaded]
}

const QUEUE = /^pg-boss$/
const CLIENT = /^undici$/
const SERVER = /^fastify$|^@fastify\/|^src\/app\.ts$/
const LOGIN = /^openid-client$/
const DRIVER = /^pg$/
const DOMAINS = /^src\/domains\//
const HEAVY = /^(typebox|ajv|pg-boss|fastify|undici|jose|openid-client|cockatiel)$|^@(opentelemetry|aws-sdk|fastify)\//

/** What a process that runs this file must not load with it. */
const WITHOUT: [root: string, ...unwanted: RegExp[]][] = [
  ['src/boot/supervise.ts', DOMAINS, HEAVY],
  ['src/commands/token.ts', DOMAINS, HEAVY],
  ['src/commands/audit.ts', DOMAINS, HEAVY],
  ...['distribute', 'demo', 'erasures', 'events', 'keys', 'ledger'].map((name): [string, ...RegExp[]] => [
    `src/commands/${name}.ts`,
    DOMAINS,
    HEAVY,
  ]),
  // What `--help` loads is every command, but none of what it runs.
  ...[
    'audit',
    'backup',
    'completion',
    'config',
    'distribute',
    'doctor',
    'erasures',
    'formats',
    'keys',
    'ledger',
    'token',
  ].map((name): [string, ...RegExp[]] => [`src/commands/${name}.ts`, DRIVER, /^src\/(boot|record)\//]),
  ['src/boot/run.ts', QUEUE, CLIENT, SERVER, LOGIN],
  ['src/boot/worker.ts', CLIENT, SERVER, LOGIN],
  ['src/boot/api.ts', QUEUE, CLIENT, LOGIN, /^src\/worker\.ts$/],
]

describe('a process loads only what it opens, because most of its start is loading, and what is loaded stays in memory', () => {
  for (const [root, ...unwanted] of WITHOUT) {
    it(root, () => {
      const loaded = loadedWith(root)
      assert(loaded.length > 2, 'what it imports is found at all')
      assert.deepEqual(
        loaded.filter((path) => unwanted.some((pattern) => pattern.test(path))),
        [],
      )
    })
  }

  it('and nothing imports node:http, which evaluates all its exports', () => {
    const importing = src.filter(({ path, imports }) => {
      return path.startsWith('src/') && imports.some(({ target, typeOnly }) => target === 'node:http' && !typeOnly)
    })
    assert.deepEqual(
      importing.map(({ path }) => path),
      [],
    )
  })
})
