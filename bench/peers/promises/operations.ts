import { randomUUID } from 'node:crypto'
import { dependantHash, type DependantInput, identifyUser, type TokenInput } from './identify-user.ts'
import { type PolicyRow, presentPolicies } from './policy.ts'
import { invalid, notFound, Problem } from './problems.ts'
import { createReadLog } from './read-log.ts'
import {
  COUNT,
  FIND_FAMILY,
  FIND_WALLET,
  INSERT_DEPENDANTS,
  INSERT_WALLET,
  isUniqueViolation,
  LIST,
  type Query,
} from './statements.ts'
import type { Claims, createTokens } from './tokens.ts'
import type { Vault } from './vault.ts'

type Context = { query: Query; vault: Vault; tokens: ReturnType<typeof createTokens> }
/** A request whose token was verified. */
type Call = { claims: Claims; requestId: string }
type Response = { status: 200 | 201; body: object }

export type Paging = { limit: number; offset: number; status?: string[] | undefined }

const DEPENDANTS_MAX = 50

/** The operations of the peers that keep the product's promises; the servers validate and send. */
export const createOperations = (context: Context) => ({
  listPolicies: listing(context),
  issueToken: async (call: Call, input: TokenInput): Promise<Response> => {
    const user_id = await identifyUser(context, call, input)
    return { status: 200, body: { access_token: context.tokens.issueToUser(call.claims, user_id), user_id } }
  },
  createDependants: creatingDependants(context),
  createWallet: creatingWallet(context),
  readWalletStatus: async ({ claims: { user_id } }: Call, walletId: string): Promise<Response> => {
    const [wallet] = await context.query<Record<string, string>>(FIND_WALLET, [user_id])
    if (wallet?.['partner_wallet_id'] !== walletId) throw notFound()
    return { status: 200, body: { wallet_id: walletId, wallet_status: wallet['wallet_status'] } }
  },
})

const actorOf = ({ platform_id }: Claims) => `platform:${platform_id}`

function listing({ query, vault }: Context) {
  const reads = createReadLog(query)
  return async ({ claims, requestId }: Call, userId: string, { limit, offset, status }: Paging): Promise<Response> => {
    const filter = [userId, status?.join(',') ?? null]
    const rows = await query<PolicyRow>(LIST, [...filter, claims.platform_id, String(limit), String(offset)])
    if (rows.length === 0) throw notFound()
    reads.note({ actor: actorOf(claims), operation: 'listInsurancePolicies', userId, requestId })
    const data = presentPolicies(rows, vault, userId)
    const isLast = data.length > 0 ? data.length < limit : offset === 0
    const [counted] = isLast ? [] : await query<{ total: number }>(COUNT, filter)
    return { status: 200, body: { data, limit, offset, total: counted?.total ?? offset + data.length } }
  }
}

/** Ids begin with their time, so that new rows are neighbours in an index. */
const newId = (prefix: string) =>
  `${prefix}_${Date.now().toString(16).padStart(12, '0')}${randomUUID().replaceAll('-', '').slice(12)}`

/** The text of an array of ids, hashes or sealed values, of which none needs quotes. */
const arrayOf = (texts: string[]) => `{${texts.join(',')}}`

const alreadyRegistered = (error: unknown): never => {
  if (!isUniqueViolation(error)) throw error
  const detail = 'A dependant with these names and this date of birth is already registered.'
  throw new Problem('conflict', detail, { reason: 'already_exists' })
}

function creatingDependants({ query, vault }: Context) {
  return async ({ claims, requestId }: Call, userId: string, inputs: DependantInput[]): Promise<Response> => {
    const identities = inputs.map((one) => dependantHash(vault, userId, one))
    const repeated = identities.flatMap((one, place) => (identities.indexOf(one) < place ? [place] : []))
    if (repeated.length > 0)
      throw invalid(repeated.map((place) => ({ pointer: `/dependants/${place}`, detail: 'It is listed twice.' })))
    const [user] = await query<{ data_key: string }>(FIND_FAMILY, [userId, claims.platform_id])
    if (!user) throw notFound()
    const key = vault.unwrap(user.data_key)
    const ids = inputs.map(() => newId('dep'))
    const at = new Date().toISOString()
    const made = await query(INSERT_DEPENDANTS, [
      userId,
      arrayOf(ids),
      arrayOf(identities),
      arrayOf(inputs.map((one, place) => vault.seal(key, `dependants:${userId}:${ids[place]}`, one))),
      at,
      String(DEPENDANTS_MAX),
      actorOf(claims),
      requestId,
    ]).catch(alreadyRegistered)
    const detail = `A user can have at most ${DEPENDANTS_MAX} dependants.`
    if (made.length === 0) throw new Problem('conflict', detail, { reason: 'limit_reached' })
    const time = at.slice(0, 19)
    const own = { primary_user_id: userId, previous_version_id: null, created_at: time, last_modified_at: time }
    return { status: 201, body: { data: inputs.map((one, place) => ({ id: ids[place], ...one, ...own })) } }
  }
}

function creatingWallet({ query }: Context) {
  return async ({ claims: { user_id, platform_id }, requestId }: Call): Promise<Response> => {
    const values = [user_id, platform_id, newId('wal'), `wallet_user:${user_id}`, requestId]
    const [made] = await query<{ partner_wallet_id: string }>(INSERT_WALLET, values)
    const [stored] = made
      ? [{ ...made, wallet_status: 'PENDING', wallet_status_partner: 'UNKNOWN', balance: 0 }]
      : await query<object>(FIND_WALLET, [user_id])
    return { status: made ? 201 : 200, body: { ...stored, user_id, created: made !== undefined } }
  }
}
