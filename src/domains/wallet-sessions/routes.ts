import { matrix } from '../../access/matrix.ts'
import type { RefreshFamilies } from '../../access/refresh-families.ts'
import type { Deps } from '../../deps.ts'
import type { App } from '../../kernel/http/server.ts'
import { tooManyDigits } from '../users/index.ts'
import { presentChallenge, presentPair } from './present.ts'
import { requestOtp } from './request-otp.ts'
import * as schemas from './schemas.ts'
import { verifyOtp } from './verify-otp.ts'

/** Mounted under `{wallet_base_url}`. */
export function walletSessionRoutes(app: App, deps: Deps & { families: RefreshFamilies }): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { families } = deps

  app.post(
    '/auth/otp',
    {
      schema: schemas.requestOtpSchema,
      config: { may: matrix.requestOtp, faults: tooManyDigits, refuses: ['rate_limited'] },
    },
    async (request, reply) =>
      reply.code(202).send(presentChallenge(await requestOtp(deps, { ...request.body, address: request.ip }))),
  )

  app.post(
    '/auth/otp/verify',
    { schema: schemas.verifyOtpSchema, config: { may: matrix.verifyOtp, refuses: ['otp_invalid', 'rate_limited'] } },
    async (request) => presentPair(await verifyOtp(deps, { ...request.body, address: request.ip })),
  )

  app.post(
    '/auth/token/refresh',
    { schema: schemas.refreshSchema, config: { may: matrix.refreshWalletToken, refuses: ['invalid_refresh_token'] } },
    async (request) => presentPair(await families.refresh(request.body.refresh_token)),
  )

  app.post(
    '/auth/logout',
    { schema: schemas.logOutSchema, config: { may: matrix.logOutOfWallet } },
    async (request) => {
      await families.logOut(request.body.refresh_token)
      return { success: true }
    },
  )
}
