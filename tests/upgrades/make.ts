import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { clientOf } from './client.ts'
import { makeCompanies } from './companies.ts'
import { startProgram, type Program } from './earlier-program.ts'
import { BEGINNING, END, type Filling, goOn, makeMember, type Member, planOf, signIn } from './fill.ts'
import { type Ids, keep, type KeySettings, type Kept } from './kept.ts'
import { erase, logIn, makeWebhook, operationsOf, untilDelivered } from './later-features.ts'
import { OTHERS, PEOPLE, type Person } from './people.ts'
import { type Caller, pathsOf, recordResponses } from './record-responses.ts'

const HELP = `npm run make:upgrade -- --project <folder> --name <version>

Runs the program of a checkout, with its node_modules, fills it over HTTP, and keeps its database, uploads, keys and responses in
tests/upgrades/<version>, for the upgrade tests. Needs Debian's pg_dump, which is downloaded if it is not installed.`

/** Where the program is reached; it is part of tokens and of health cards. */
export const ORIGIN = 'http://banyan.test'
const ADMIN_KEY = 'admin-key-of-the-upgrade-tests'
const DOCUMENT_TYPES = ['policy_certificate', 'customer_information_sheet', 'enrollment_form']
const KEY_BYTES = 32

const say = (line: string) => console.log(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`)

const newKey = () => randomBytes(KEY_BYTES).toString('base64')
const newJwk = (kid: string) => ({ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid })

type Jwks = { keys: object[] }

const firstKeys = (): KeySettings => ({
  SIGNING_KEYS: JSON.stringify({ keys: [newJwk('kept-1')] }),
  MASTER_KEYS: `m1:${newKey()}`,
  HASH_KEY: newKey(),
  ADMIN_API_KEYS: ADMIN_KEY,
})

/** New keys, with the former ones after them. */
const replaced = (keys: KeySettings, { hasHashKeys }: { hasHashKeys: boolean }): KeySettings => ({
  ...keys,
  SIGNING_KEYS: JSON.stringify({ keys: [newJwk('kept-2'), ...(JSON.parse(keys.SIGNING_KEYS) as Jwks).keys] }),
  MASTER_KEYS: `m2:${newKey()},${keys.MASTER_KEYS}`,
  HASH_KEY: hasHashKeys ? `${newKey()},${keys.HASH_KEY}` : keys.HASH_KEY,
})

type Session = {
  program: Program
  filling: Filling
  operations: Awaited<ReturnType<typeof operationsOf>>
  known: Ids[]
}

/** Starts the program, with the calendar at the beginning. */
async function startWith(program: Program, settings: KeySettings): Promise<void> {
  await program.start(settings)
  await clientOf(program.sandbox).made('PUT', '/clock', { body: { now: BEGINNING } })
}

async function make(program: Program, version: string): Promise<Kept> {
  const before = firstKeys()
  await program.command(before, 'migrate')
  const hasHashKeys = (await program.command(before, 'keys', 'status')) !== undefined
  const settings = replaced(before, { hasHashKeys })
  await startWith(program, before)
  const session = await openSession(program, before)
  const { filling, operations } = session
  const { client } = filling
  const webhook = operations.has('POST', '/v1/webhook_endpoints') ? await makeWebhook(filling, program.sandbox) : null
  say('companies are made')
  const half = PEOPLE.length / 2
  const members = await makePeople(filling, { platform: 0, people: PEOPLE, isMeant: (index) => index < half })
  say('half of the people are made; the keys are replaced')
  await program.stopProgram()
  await startWith(program, settings)
  members.push(...(await makePeople(filling, { platform: 0, people: PEOPLE, isMeant: (index) => index >= half })))
  const others = await makePeople(filling, { platform: 1, people: OTHERS, isMeant: () => true })
  await goOn(filling, members)
  const erased = await eraseSome(session, members)
  const sessions = operations.has('GET', '/v1/auth/oidc/login') ? await logIn(program.api, ORIGIN) : {}
  const ended = await signIn(filling, members.find(({ tokens }) => tokens === null) ?? assert.fail())
  await client.made('POST', '/wallet/v1/auth/logout', { body: { refresh_token: ended.refresh } })
  if (webhook) await untilDelivered(filling, webhook)
  say('everybody is made; the responses are recorded')
  const current = [...members, ...others].filter(({ id }) => !erased.includes(id))
  const { responses, ...read } = await record(session, { settings, current })
  await program.stopProgram()
  const { platforms, providers, revoked } = filling.companies
  const scene = {
    madeAt: new Date().toISOString(),
    calendar: END,
    settings,
    platforms: platforms.map(({ id, basicToken }) => ({ id, basicToken })),
    providers: providers.map(({ id, basicToken }) => ({ id, basicToken })),
    revoked,
    users: current.map(({ id, platformId, identity, tokens }) => ({ id, platformId, identity, tokens })),
    erased,
    ids: session.known,
    replays: filling.replays,
    ...read,
    endedRefreshToken: ended.refresh,
    webhook,
    sessions,
  }
  return { version, scene, responses, sql: await program.dump(), files: await filesIn(program.filesFolder) }
}

async function openSession(program: Program, settings: KeySettings): Promise<Session> {
  const [client, sandbox] = [clientOf(program.api), clientOf(program.sandbox)]
  const known: Ids[] = []
  const add = (ids: Ids) => void known.push(ids)
  const owner = (await program.command(settings, 'token', '--role', 'owner')) ?? ''
  const stories = [...new Set([...PEOPLE, ...OTHERS].flatMap(({ policies = [] }) => policies))].map(planOf)
  const companies = await makeCompanies({ client, owner, adminKey: ADMIN_KEY, stories, add })
  const operations = await operationsOf(client)
  const { takesKey } = operations
  const filling = { client, sandbox, companies, owner, add, replays: [], uploads: new Set<string>(), takesKey }
  return { program, filling, operations, known }
}

type Meant = { platform: number; people: Person[]; isMeant: (index: number) => boolean }

async function makePeople(filling: Filling, { platform, people, isMeant }: Meant): Promise<Member[]> {
  const members: Member[] = []
  for (const [index, person] of people.entries()) {
    if (isMeant(index)) members.push(await makeMember(filling, { platform, index, person }))
  }
  return members
}

/** Erases who is to be erased, where the version can; returns their ids. */
async function eraseSome({ filling, operations }: Session, members: Member[]): Promise<string[]> {
  if (!operations.has('DELETE', '/v1/users/{user_id}')) return []
  const erased = members.filter(({ person }) => person.isErased)
  for (const member of erased) await erase(filling, member)
  return erased.map(({ id }) => id)
}

type Recording = { settings: KeySettings; current: Member[] }

/** Records every read, and a token of each kind of caller. */
async function record({ program, filling, operations, known }: Session, { settings, current }: Recording) {
  const { client, companies, add, uploads } = filling
  for (const { id: user_id, policies, dependants } of current) {
    for (const { id: insurance_policy_id } of policies) {
      for (const document_type of DOCUMENT_TYPES) add({ user_id, insurance_policy_id, document_type })
      for (const member_id of ['self', ...dependants]) add({ user_id, insurance_policy_id, member_id })
    }
  }
  const callers: Caller[] = [{ name: 'admin key', headers: { 'admin-api-key': ADMIN_KEY } }]
  for (const role of ['owner', 'operator', 'viewer'])
    callers.push(callerWith(role, (await program.command(settings, 'token', '--role', role)) ?? ''))
  callers.push(
    ...companies.platforms.map(({ token }, index) => callerWith(`platform ${index}`, token)),
    ...companies.providers.map(({ token }, index) => callerWith(`provider ${index}`, token)),
    ...current.map(({ id, token }) => ({ ...callerWith(`user ${id}`, token), userId: id })),
    ...current.flatMap(({ id, tokens }) =>
      tokens === null ? [] : [{ ...callerWith(`wallet ${id}`, tokens.access), userId: id }],
    ),
  )
  const responses = await recordResponses(client, { paths: pathsOf(operations.reads, known), callers, uploads })
  say(`${responses.length} responses are recorded`)
  return { responses, accessTokens: Object.fromEntries(tokensOf(callers)) }
}

const callerWith = (name: string, token: string): Caller => ({ name, headers: { authorization: `Bearer ${token}` } })

/** A token of each kind of caller. */
function tokensOf(callers: Caller[]): [string, string][] {
  const kinds = ['owner', 'platform', 'provider', 'user', 'wallet']
  return kinds.flatMap((kind) => {
    const token = callers.find(({ name }) => name.startsWith(kind))?.headers['authorization']?.split(' ')[1]
    return token === undefined ? [] : [[kind, token]]
  })
}

async function filesIn(folder: string): Promise<Record<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const read = paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const)
  return Object.fromEntries(await Promise.all(read))
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { project: { type: 'string' }, name: { type: 'string' }, help: { type: 'boolean', default: false } },
  })
  if (values.help || values.project === undefined || values.name === undefined) {
    console.log(HELP)
    process.exitCode = values.help ? 0 : 2
    return
  }
  const project = resolve(values.project)
  const commit = execFileSync('git', ['-C', project, 'rev-parse', '--short=8', 'HEAD']).toString().trim()
  say(`commit ${commit}`)
  const folder = await mkdtemp(join(tmpdir(), 'banyan-upgrade-'))
  await chmod(folder, 0o755) // the database runs as another user when root starts it
  const program = await startProgram(project, folder, ORIGIN)
  try {
    keep(await make(program, values.name))
    await rm(folder, { recursive: true, force: true })
  } finally {
    await program.stop()
    if (existsSync(folder)) say(`it failed; see ${join(folder, 'program.log')}`)
  }
}

await main()
