import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { jwtVerify, SignJWT } from 'jose'
import pg from 'pg'
import { loadConfig } from '../src/settings/config.ts'
import { unsealDependant } from '../src/domains/people/dependants/index.ts'
import { USER_PROFILE } from '../src/domains/people/users/index.ts'
import { createVault, unseal } from '../src/kernel/crypto/vault.ts'
import { connectionOptions } from '../src/kernel/db/database.ts'
import { FIND_BY_IDENTITY, LIST_POLICIES, type PolicyRow, type UserRow } from './floor-statements.ts'
import { type FloorResponse, openWalletFloor, type WalletUser } from './floor-wallets.ts'

// The minimal implementation of the operations: no framework, validation, log, errors or shared statements. It has the
// keys, pool size and all other settings of the product.

const LIMIT = 20
const OFFSET = 0
const TOKEN_SECONDS = 3_600

const { host, port, origin, keys, databaseUrl, poolSize } = loadConfig()
const [signer] = keys.signingKeys
if (!signer || databaseUrl === null) throw new Error('the floor needs a signing key and DATABASE_URL')
const { kid, privateKey, publicKey } = signer
const vault = createVault(keys)
const pool = new pg.Pool({ ...connectionOptions(databaseUrl), max: poolSize })
const audience = `${origin}/v1`
const walletAudience = `${origin}/wallet/v1`
const wallets = await openWalletFloor({
  pool,
  vault,
  sign: (claims) => sign({ iss: origin, aud: walletAudience, ...claims }),
})

type Caller = { platform_id: string; client_id: string }
type UserInput = { id_proof: { number: string }; phone_country_code: string; phone_number: string }

async function verify<Claims>({ headers }: IncomingMessage, ofAudience: string): Promise<Claims> {
  const token = (headers.authorization ?? '').slice('Bearer '.length)
  const { payload } = await jwtVerify<Claims>(token, publicKey, {
    algorithms: ['EdDSA'],
    issuer: origin,
    audience: ofAudience,
    typ: 'at+jwt',
  })
  return payload
}

const sign = (claims: Record<string, unknown>) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid }).sign(privateKey)

async function listPolicies(caller: Caller, userId: string) {
  const values = [userId, caller.platform_id, null, null, LIMIT, OFFSET]
  const { rows } = await pool.query<PolicyRow>({ ...LIST_POLICIES, values })
  const [first] = rows
  if (!first) throw new Error('no such user')
  const key = vault.unwrap(first.data_key)
  const { first_name = null, last_name = null } = USER_PROFILE.unseal(key, { id: userId }, first.user_sealed)
  const names = new Map<string, object>()
  for (const [id, sealed] of Object.entries(first.dependants)) {
    const { first_name, last_name } = unsealDependant(key, { userId, id, sealed })
    names.set(id, { id, first_name, last_name })
  }
  const member = { id: userId, first_name, last_name }
  const data = rows.map((row) => {
    const associated = `insurance_policies:${userId}:${row.policy_id}`
    const sealed = row.sealed === null ? {} : unseal<Sealed>(key, associated, row.sealed)
    return presentPolicy(row, { member, sealed, names })
  })
  return { data, limit: LIMIT, offset: OFFSET, total: first.total }
}

type Sealed = { questionnaire?: object; provider_metadata?: object }
type Opened = { member: { id: string }; sealed: Sealed; names: Map<string, object> }

function presentPolicy(row: PolicyRow, { member, sealed, names }: Opened) {
  const money = (paise: number) => ({ currency: row.currency, value: paise / 100 })
  return {
    id: row.policy_id,
    benefit_id: row.benefit_id,
    benefit_name: row.benefit_name,
    plan_code: row.plan_code,
    primary_user_id: member.id,
    primary_member: member,
    dependant_ids: row.dependant_ids,
    dependants: row.dependant_ids.map((id) => names.get(id)),
    documents: documentsOf(row, member.id),
    premium_amounts: {
      annual: money(row.premium_annual_paise),
      daily: money(row.premium_daily_paise),
      sponsor_contribution: money(row.premium_sponsor_paise),
    },
    questionnaire: sealed.questionnaire ?? null,
    start_date: row.start_date,
    end_date: row.end_date,
    external_policy_id: row.external_policy_id,
    master_policy_number: row.master_policy_number,
    metadata: { provider_metadata: sealed.provider_metadata ?? null },
    nominee_details: { nominee_type: 'DEPENDANT', dependant_id: row.nominee_dependant_id },
    created_at: row.created_at,
    last_modified_at: row.last_modified_at,
  }
}

function documentsOf({ policy_id, issued_dependant_ids: ids }: PolicyRow, userId: string) {
  const documents = `/v1/users/${userId}/insurance_policies/${policy_id}/documents`
  const cards = ids === null ? [] : ['self', ...ids].map((id) => [id, `${documents}/health_card/${id}`])
  return {
    health_cards: Object.fromEntries(cards) as object,
    customer_information_sheet: ids && `${documents}/customer_information_sheet`,
    enrollment_form: `${documents}/enrollment_form`,
    policy_certificate: ids && `${documents}/policy_certificate`,
  }
}

async function issueToken({ platform_id, client_id }: Caller, input: UserInput) {
  const phone = `${platform_id}\0${input.phone_country_code}${input.phone_number}`
  const idProof = `${platform_id}\0${input.id_proof.number}`
  const values = [vault.blindIndex('phone', phone), vault.blindIndex('id_proof', idProof)]
  const { rows } = await pool.query<UserRow>({ ...FIND_BY_IDENTITY, values })
  if (!rows[0]) throw new Error('no such user')
  const { user_id } = rows[0]
  const iat = Math.floor(Date.now() / 1000)
  const times = { iat, exp: iat + TOKEN_SECONDS, jti: randomBytes(16).toString('base64url') }
  const claims = { iss: origin, aud: audience, ...times, role: 'user', sub: user_id, client_id, platform_id, user_id }
  return { access_token: await sign(claims), user_id }
}

async function read<Body>(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Body
}

async function respond(request: IncomingMessage): Promise<FloorResponse> {
  const { url = '', method } = request
  if (url === '/livez') return { status: 200, body: { status: 'ok' } }
  if (url.startsWith('/wallet/')) return respondToWalletUser(request, url)
  const caller = await verify<Caller>(request, audience)
  if (method === 'GET') return { status: 200, body: await listPolicies(caller, url.split('/')[3] ?? '') }
  return { status: 200, body: await issueToken(caller, await read<UserInput>(request)) }
}

async function respondToWalletUser(request: IncomingMessage, url: string): Promise<FloorResponse> {
  if (url.endsWith('/refresh')) return wallets.refresh((await read<{ refresh_token: string }>(request)).refresh_token)
  const user = await verify<WalletUser>(request, walletAudience)
  return request.method === 'GET' ? wallets.status(user, url.split('/')[4] ?? '') : wallets.create(user)
}

const server = createServer((request, response) => {
  const send = (status: number, body: object) => {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) }
    response.writeHead(status, headers).end(text)
  }
  respond(request).then(
    ({ status, body }) => send(status, body),
    (error: unknown) => {
      console.error(error)
      send(500, { error: 'failed' })
    },
  )
})
server.listen(port, host)
process.once('SIGTERM', () => process.exit(0))
