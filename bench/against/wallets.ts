import assert from 'node:assert/strict'
import type { Request } from '../ask.ts'
import { CONNECTIONS, drive } from '../drive.ts'
import { tokensLike } from '../tokens-like.ts'
import { until } from '../until.ts'
import { createWallet, walletStatus } from '../wallet-requests.ts'
import { once, type Population, type User } from './population.ts'
import type { Side } from './side.ts'

/** An IP address may request 20 codes an hour, so each connection has its own address. */
const SESSIONS = 8 * CONNECTIONS
const TIMEOUT_MS = 180_000
/** Only the sandbox's gateway shows the codes. */
const SANDBOX_SMS = { NODE_ENV: 'development', SMS_GATEWAY: 'sandbox' }

export type Holder = User & { walletId: string }

/** Wallet sessions and provisioned wallets, created by the side itself. */
export type Wallets = {
  /** Returns refresh tokens, each of another user. */
  refreshTokens(): Promise<string[]>
  /** Returns members with a wallet at the operator. */
  holders(): Promise<Holder[]>
  /** Returns the headers of a user with a wallet session. */
  headersFor(): Promise<(userId: string) => Record<string, string>>
}

export function walletsOf(side: Side, { makeUsers, members }: Population): Wallets {
  const headersFor = once(async () => {
    const [user] = await makeUsers(1)
    assert(user)
    const [pair] = await withWorker(side, (sandboxUrl) => signIn(side, sandboxUrl, [user]))
    assert(pair)
    const [{ privateKey }] = side.stage.config.keys.signingKeys
    const tokenFor = tokensLike({ token: pair.access_token, userId: user.id, privateKey })
    return (userId: string) => ({ authorization: `Bearer ${tokenFor(userId)}` })
  })
  return {
    headersFor,
    refreshTokens: once(async () => {
      const users = await makeUsers(SESSIONS)
      const pairs = await withWorker(side, (sandboxUrl) => signIn(side, sandboxUrl, users))
      return pairs.map(({ refresh_token }) => refresh_token)
    }),
    holders: once(async () => provision(side, await members(), await headersFor())),
  }
}

/**
 * Runs work with the sandbox companies and a worker, which run only while something is prepared, never during a
 * measurement.
 */
async function withWorker<T>({ stage }: Side, work: (sandboxUrl: string) => Promise<T>): Promise<T> {
  const sandbox = await stage.start('sandbox')
  const worker = await stage.start('worker', SANDBOX_SMS)
  const result = await work(`http://127.0.0.1:${stage.config.sandboxPort}`)
  await worker.stop()
  await sandbox.stop()
  return result
}

type Pair = { access_token: string; refresh_token: string }

const post = (path: string, body: object): Request => ({
  method: 'POST',
  path: `/wallet/v1${path}`,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Starts sessions: each user requests a code, reads it from the sandbox's SMS and submits it. */
async function signIn(side: Side, sandboxUrl: string, users: User[]): Promise<Pair[]> {
  const challenges: string[] = []
  const positions = Array.from({ length: CONNECTIONS }, (_, connection) => connection)
  const from = (connection: number) => `127.0.0.${connection + 2}`
  const source = (connection: number) => {
    const position = positions[connection] as number
    const user = users[position]
    if (!user) return undefined
    positions[connection] = position + CONNECTIONS
    const { phone_country_code, phone_number } = user.input
    return {
      request: post('/auth/otp', { platform_id: side.catalogue.platformId, phone_country_code, phone_number }),
      status: 202,
      onResponse: (text: string) =>
        (challenges[position] = (JSON.parse(text) as { challenge_id: string }).challenge_id),
    }
  }
  await drive(side.stage.productUrl, source, { localAddress: from })

  const codes = new Map<string, string>()
  await until(TIMEOUT_MS, async () => {
    const response = await fetch(`${sandboxUrl}/sms/messages`)
    const { messages } = (await response.json()) as { messages: { to: string; text: string }[] }
    for (const { to, text } of messages) codes.set(to, /\b\d{6}\b/.exec(text)?.[0] ?? '')
    return codes.size === users.length
  })
  return side.sendAll<Pair>(
    users.map(({ input }, position) => {
      const otp = codes.get(input.phone_country_code + input.phone_number)
      return { request: post('/auth/otp/verify', { challenge_id: challenges[position], otp }), status: 200 }
    }),
  )
}

type Headers = (userId: string) => Record<string, string>

async function provision(side: Side, users: User[], headersFor: Headers): Promise<Holder[]> {
  const responses = await side.sendAll<{ partner_wallet_id: string }>(
    users.map(({ id }) => ({ request: createWallet(headersFor(id)), status: 201 })),
  )
  const holders = users.map((user, position) => ({ ...user, walletId: responses[position]?.partner_wallet_id ?? '' }))
  let waiting = holders
  const isCompleted = async () => {
    const states = await side.sendAll<{ wallet_status: string }>(
      waiting.map(({ id, walletId }) => ({ request: walletStatus(walletId, headersFor(id)), status: 200 })),
    )
    waiting = waiting.filter((_, position) => states[position]?.wallet_status !== 'COMPLETED')
    return waiting.length === 0
  }
  await withWorker(side, () => until(TIMEOUT_MS, isCompleted))
  return holders
}
