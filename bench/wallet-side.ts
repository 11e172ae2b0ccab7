import assert from 'node:assert/strict'
import { BEGUN_FAMILY, beginningText, type Family, createRefreshFamilies } from '../src/access/refresh-families.ts'
import { createTokens } from '../src/access/tokens.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { hashSecret } from '../src/kernel/crypto/secrets.ts'
import { createVault } from '../src/kernel/crypto/vault.ts'
import { onlyRow, connectDatabase, type Queryable, statement } from '../src/kernel/db/database.ts'
import type { BenchContext } from './part.ts'
import { tokensLike } from './tokens-like.ts'

const CONNECTIONS = 2

export type WalletSide = {
  db: Queryable
  /** Returns the headers of a user with a wallet session. */
  headersOf(userId: string): Record<string, string>
  /** Starts sessions for users; returns their refresh tokens, stored by the product. */
  startFamilies(users: { userId: string }[]): Promise<string[]>
  /** Undoes the rotation of this token. */
  undoRotation(token: string): Promise<void>
}

const UNDO_ROTATION = statement(
  'bench_undo_rotation',
  `with first as (
     select user_id, family_id from refresh_tokens where token_hash = $1
   ), later as (
     delete from refresh_tokens t using first f where t.family_id = f.family_id and t.token_hash <> $1
   )
   update refresh_families r set generation = 1 from first f where r.user_id = f.user_id and r.family_id = f.family_id`,
)

const SIGN_IN = statement(
  'bench_sign_in',
  `with admitted as (select $1 as user_id, $2 as platform_id),
   ${beginningText({ id: '$3', tokenHash: '$4', at: '$5::timestamptz' })}
   select ${BEGUN_FAMILY} from begun`,
)

type WalletContext = Pick<BenchContext, 'stage' | 'closers'> & { tenant: { platformId: string } }

/** Provides the wallet operations with sessions. */
export async function openWalletSide({ tenant, stage, closers }: WalletContext): Promise<WalletSide> {
  const { platformId } = tenant
  const { keys, origin, databaseUrl } = stage.config
  const settings = { url: databaseUrl as string, poolSize: CONNECTIONS, batching: false, withoutTimeouts: true }
  const db = connectDatabase({ ...settings, onLostConnection: () => {} })
  closers.push(() => db.close())
  const audience = `${origin}/wallet/v1`
  const tokens = createTokens({ keys: keys.signingKeys, issuer: origin, audience, clock: systemClock })
  const families = createRefreshFamilies(db, { vault: createVault(keys), tokens, clock: systemClock })
  const user = { userId: '000000000000', platformId, epoch: 0, sessionId: 'ses_bench' }
  const { token } = tokens.issueToWalletUser(user)
  const [{ privateKey }] = keys.signingKeys
  const tokenOf = tokensLike({ token, userId: user.userId, privateKey })
  return {
    db,
    headersOf: (userId) => ({ authorization: `Bearer ${tokenOf(userId)}` }),
    async startFamilies(users) {
      const refreshTokens: string[] = []
      for (const { userId } of users) {
        const pair = await families.begin(async ({ id, tokenHash, at }) =>
          onlyRow(await db.query<Family>(SIGN_IN, [userId, platformId, id, tokenHash, at])),
        )
        assert(pair, 'the platform of the bench is active')
        refreshTokens.push(pair.refreshToken)
      }
      return refreshTokens
    },
    undoRotation: async (token) => void (await db.query(UNDO_ROTATION, [hashSecret(token)])),
  }
}
