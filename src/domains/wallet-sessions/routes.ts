import { matrix } from '../../access/matrix.ts'
import { useCode } from '../../access/otp.ts'
import type { RefreshFamilies } from '../../access/refresh-families.ts'
import type { Deps } from '../../deps.ts'
import type { App } from '../../kernel/http/server.ts'
import { perform, responding } from '../../record/index.ts'
import { tooManyDigits } from '../users/index.ts'
import { presentChallenge, presentPair } from './present.ts'
import { networkOf } from '../../access/network-of.ts'
import { requestOtp } from './request-otp.ts'
import * as schemas from './schemas.ts'

/** Mounted under `{wallet_base_url}`. */
export function walletSessionRoutes(app: App, deps: Deps & { families: RefreshFamilies }): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { families } = deps

  app.post(
    '/auth/otp',
    {
      schema: schemas.requestOtpSchema,
      config: { access: matrix.requestOtp, errors: tooManyDigits, refuses: ['rate_limited'] },
    },
    (request, reply) => {
      const address = networkOf(request.ip)
      return perform(deps, {
        request,
        reply,
        turn: address, // its limit is one row for many phones
        decide: (by) => requestOtp(deps, { ...request.body, address }, by),
        present: (challenge) => responding(presentChallenge(challenge), 202),
      })
    },
  )

  app.post(
    '/auth/otp/verify',
    { schema: schemas.verifyOtpSchema, config: { access: matrix.verifyOtp, refuses: ['otp_invalid', 'rate_limited'] } },
    async ({ body, ip }) => {
      const addressKey = deps.vault.blindIndex('otp_wrong_code', networkOf(ip))
      return presentPair(await useCode(deps, { challengeId: body.challenge_id, code: body.otp, addressKey }))
    },
  )

  app.post(
    '/auth/token/refresh',
    {
      schema: schemas.refreshSchema,
      config: { access: matrix.refreshWalletToken, refuses: ['invalid_refresh_token'] },
    },
    async (request) => presentPair(await families.refresh(request.body.refresh_token)),
  )

  app.post(
    '/auth/logout',
    { schema: schemas.logOutSchema, config: { access: matrix.logOutOfWallet } },
    async (request) => {
      await families.logOut(request.body.refresh_token)
      return { success: true }
    },
  )
}
