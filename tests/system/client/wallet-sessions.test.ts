import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { AuthenticationError, Banyan, platformId, type TokenPair } from '../../../client/src/index.ts'
import { openBadNetwork, type Passing } from '../../support/bad-network.ts'
import { openTestApp } from '../../support/app.ts'
import { openSessions } from '../../support/sessions.ts'

const t = await openTestApp({ own: true })
const sessions = openSessions(t)
const network = await openBadNetwork(await t.app.listen({ host: '127.0.0.1', port: 0 }))
const banyan = new Banyan({ baseUrl: network.url })
const platform = await t.platform()
const isRefresh = ({ path }: Passing) => path.endsWith('/auth/token/refresh')
const refreshes = () => network.seen.filter(isRefresh).length

const expired = { status: 401, body: JSON.stringify({ code: 'token_expired', status: 401, title: 'Expired' }) }

beforeEach(() => {
  network.seen.length = 0
  network.disturbanceOf = () => 'pass'
})

/** A new user, signed in with the code of the message. */
async function signedIn(onTokens?: (tokens: TokenPair) => void) {
  const user = await t.user(platform)
  await sessions.resetLimits()
  const phone = { phone_country_code: '+91', phone_number: user.phone }
  const challenge = await banyan.wallet.signIn({ platform_id: platformId(platform.id), ...phone })
  assert(challenge.sent.expires_at.getTime() > Date.now())
  const code = await sessions.codeOf(challenge.sent.challenge_id)
  const session = await challenge.verify(String(code), { onTokens })
  return { user, session }
}

/** From now on the token of that moment is refused. */
function refuse(token: string): void {
  network.disturbanceOf = ({ headers }) => (headers['authorization'] === `Bearer ${token}` ? expired : 'pass')
}

describe('a wallet session', () => {
  it('creates and reads the wallet of its user', async () => {
    const { user, session } = await signedIn()
    const made = await session.create()
    assert.deepEqual([String(made.user_id), made.balance.paise, made.created], [user.id, 0, true])
    assert.equal((await session.readStatus(made.partner_wallet_id)).wallet_id, made.partner_wallet_id)
    assert.equal((await session.listTransactions()).total, 0)
  })

  it('is refreshed once for 10 calls whose token has ended, and each new pair is handed over', async () => {
    const pairs: TokenPair[] = []
    const { session } = await signedIn((tokens) => void pairs.push(tokens))
    await session.create()
    refuse(session.tokens.access_token)
    const wallets = await Promise.all(Array.from({ length: 10 }, () => session.read()))
    assert.deepEqual([wallets.length, refreshes(), pairs.length], [10, 1, 2])
    assert.equal(pairs.at(-1), session.tokens)
    assert.notEqual(pairs[0]?.refresh_token, pairs[1]?.refresh_token)
  })

  it('survives a refresh whose response is lost', async () => {
    const { session } = await signedIn()
    await session.create()
    const old = session.tokens.access_token
    let lost = 0
    network.disturbanceOf = (request) => {
      if (isRefresh(request) && lost++ === 0) return 'lose'
      return request.headers['authorization'] === `Bearer ${old}` ? expired : 'pass'
    }
    assert((await session.read()).partner_wallet_id)
    assert.equal(refreshes(), 2)
  })

  it('goes on from a stored refresh token', async () => {
    const { user, session } = await signedIn()
    const resumed = await banyan.wallet.resume(session.tokens.refresh_token)
    assert.equal(String((await resumed.create()).user_id), user.id)
  })

  it('that was signed out is over', async () => {
    const { session } = await signedIn()
    await session.create()
    const { refresh_token } = session.tokens
    await session.signOut()
    await assert.rejects(banyan.wallet.resume(refresh_token), AuthenticationError)
  })
})
