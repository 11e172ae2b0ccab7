import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pictureOf, qrCodeIn } from '../support/pdf.ts'
import { type Client, clientOf } from './client.ts'
import { makeCompanies } from './companies.ts'
import { openProgram, type Program } from './earlier-program.ts'
import { BEGINNING, END, type Filling, goOn, makeMember, type Member, planOf, signIn } from './fill.ts'
import { type Card, type Ids, keep, type KeySettings, type Kept, type Replay } from './kept.ts'
import { erase, logIn, makeWebhook, operationsOf, untilDelivered } from './later-features.ts'
import { OTHERS, PEOPLE } from './people.ts'
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

async function make(program: Program, version: string): Promise<Kept> {
  const before = firstKeys()
  await program.command(before, 'migrate')
  const hasHashKeys = (await program.command(before, 'keys', 'status')) !== undefined
  const settings = replaced(before, { hasHashKeys })
  const [client, sandbox] = [clientOf(program.api), clientOf(program.sandbox)]
  const tokenOf = async (role: string) => (await program.command(settings, 'token', '--role', role)) ?? ''

  await program.start(before)
  await sandbox.made('PUT', '/clock', { body: { now: BEGINNING } })
  const known: Ids[] = []
  const replays: Replay[] = []
  const add = (ids: Ids) => void known.push(ids)
  const owner = (await program.command(before, 'token', '--role', 'owner')) ?? ''
  const stories = [...new Set([...PEOPLE, ...OTHERS].flatMap(({ policies = [] }) => policies))].map(planOf)
  const companies = await makeCompanies({ client, owner, adminKey: ADMIN_KEY, stories, add })
  const { has, takesKey, reads } = await operationsOf(client)
  const uploads = new Set<string>()
  const filling: Filling = { client, sandbox, companies, owner, add, replays, uploads, takesKey }
  const webhook = has('POST', '/v1/webhook_endpoints') ? await makeWebhook(filling, program.sandbox) : null
  say('companies are made')
  const members: Member[] = []
  const half = PEOPLE.length / 2
  for (const [index, person] of PEOPLE.entries()) {
    if (index < half) members.push(await makeMember(filling, { platform: 0, index, person }))
  }
  say('half of the people are made; the keys are replaced')
  await program.stopProgram()

  await program.start(settings)
  await sandbox.made('PUT', '/clock', { body: { now: BEGINNING } })
  for (const [index, person] of PEOPLE.entries()) {
    if (index >= half) members.push(await makeMember(filling, { platform: 0, index, person }))
  }
  const others: Member[] = []
  for (const [index, person] of OTHERS.entries()) others.push(await makeMember(filling, { platform: 1, index, person }))
  await goOn(filling, members)
  const erased: string[] = []
  for (const member of members.filter(
    ({ person }) => person.isErased === true && has('DELETE', '/v1/users/{user_id}'),
  )) {
    await erase(filling, member)
    erased.push(member.id)
  }
  const sessions = has('GET', '/v1/auth/oidc/login') ? await logIn(program.api, ORIGIN) : {}
  const ended = await signIn(filling, members[0] ?? assert.fail())
  await client.made('POST', '/wallet/v1/auth/logout', { body: { refresh_token: ended.refresh } })
  if (webhook) await untilDelivered(filling, webhook)
  say('everybody is made; the responses are recorded')

  const current = [...members, ...others].filter(({ id }) => !erased.includes(id))
  for (const member of current) {
    for (const { id } of member.policies) {
      for (const document_type of DOCUMENT_TYPES) add({ user_id: member.id, insurance_policy_id: id, document_type })
      for (const member_id of ['self', ...member.dependants])
        add({ user_id: member.id, insurance_policy_id: id, member_id })
    }
  }
  const administrators: Caller[] = []
  for (const role of ['owner', 'operator', 'viewer']) administrators.push(callerWith(role, await tokenOf(role)))
  const callers: Caller[] = [
    ...administrators,
    ...companies.platforms.map(({ token }, index) => callerWith(`platform ${index}`, token)),
    ...companies.providers.map(({ token }, index) => callerWith(`provider ${index}`, token)),
    ...current.map(({ id, token }) => ({ ...callerWith(`user ${id}`, token), userId: id })),
    ...current.flatMap(({ id, tokens }) =>
      tokens === null ? [] : [{ ...callerWith(`wallet ${id}`, tokens.access), userId: id }],
    ),
    { name: 'admin key', headers: { 'admin-api-key': ADMIN_KEY } },
  ]
  const responses = await recordResponses(client, { paths: pathsOf(reads, known), callers, uploads })
  say(`${responses.length} responses are recorded`)
  const cards: Card[] = []
  for (const member of current) cards.push(...(await cardsOf(client, member)))
  await program.stopProgram()
  const [sql, files] = [await program.dump(), await filesIn(program.filesFolder)]
  const scene = {
    madeAt: new Date().toISOString(),
    calendar: END,
    settings,
    platforms: companies.platforms.map(({ id, basicToken }) => ({ id, basicToken })),
    providers: companies.providers.map(({ id, basicToken }) => ({ id, basicToken })),
    revoked: companies.revoked,
    users: current.map(({ id, platformId, identity, tokens }) => ({ id, platformId, identity, tokens })),
    erased,
    ids: known,
    replays,
    cards,
    accessTokens: Object.fromEntries(tokensOf(callers)),
    endedRefreshToken: ended.refresh,
    webhook,
    sessions,
  }
  return { version, scene, responses, sql, files }
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

/** The code on the health card of each policy that has been issued, as a phone reads it, and what the program says to it. */
async function cardsOf({ send, made }: Client, { id, token, policies }: Member): Promise<Card[]> {
  const cards: Card[] = []
  for (const { id: policyId, story } of policies) {
    if (story === 'uploaded') continue // the insurer's own card
    const card = await send('GET', `/v1/users/${id}/insurance_policies/${policyId}/documents/health_card/self`, {
      token,
    })
    if (card.status !== 200) continue
    const path = qrCodeIn(await pictureOf(card.bytes, 1)).slice(ORIGIN.length)
    cards.push({ path, response: await made('GET', path, { headers: { accept: 'application/json' } }) })
  }
  return cards
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
  const program = await openProgram(project, folder, ORIGIN)
  try {
    keep(await make(program, values.name))
    await rm(folder, { recursive: true, force: true })
  } finally {
    await program.stop()
    if (existsSync(folder)) say(`it failed; see ${join(folder, 'program.log')}`)
  }
}

await main()
