import { nameCaller } from '../../../access/logged-caller.ts'
import { matrix } from '../../../access/matrix.ts'
import { useCode } from '../../../access/otp.ts'
import type { RefreshFamilies } from '../../../access/refresh-families.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../kernel/http/server.ts'
import { perform, responding } from '../../../record/index.ts'
import { validatePhone } from '../../people/users/index.ts'
import { presentChallenge, presentPair } from './present.ts'
import { networkOf } from '../../../access/network-of.ts'
import { requestOtp } from './request-otp.ts'
import * as schemas from './schemas.ts'

/** Mounts the routes of wallet sessions, under `{wallet_base_url}`. */
export function walletSessionRoutes(app: App, deps: Deps & { families: RefreshFamilies }): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { families } = deps

  app.post(
    '/auth/otp',
    {
      schema: schemas.requestOtpSchema,
      config: { access: matrix.requestOtp, limit: 'signIns', errors: validatePhone },
    },
    (request, reply) => {
      const address = networkOf(request.ip)
      return perform(deps, {
        request,
        reply,
        turn: address, // many phones share the row of its limit
        decide: (by) => requestOtp(deps, { ...request.body, address }, by),
        present: ({ challenge, headers }) => {
          request.credentialId = challenge.id
          return { ...responding(presentChallenge(challenge), 202), headers }
        },
      })
    },
  )

  app.post(
    '/auth/otp/verify',
    {
      schema: schemas.verifyOtpSchema,
      config: { access: matrix.verifyOtp, limit: 'signIns', refuses: ['otp_invalid'] },
    },
    async (request, reply) => {
      const { body, ip } = request
      const addressKey = deps.vault.blindIndex('otp_wrong_code', networkOf(ip))
      const { pair, headers } = await useCode(deps, { challengeId: body.challenge_id, code: body.otp, addressKey })
      nameCaller(request, pair.caller)
      reply.headers(headers)
      return presentPair(pair)
    },
  )

  app.post(
    '/auth/token/refresh',
    {
      schema: schemas.refreshSchema,
      config: { access: matrix.refreshWalletToken, limit: 'refreshes', refuses: ['invalid_refresh_token'] },
    },
    async (request) => {
      const pair = await families.refresh(request.body.refresh_token)
      nameCaller(request, pair.caller)
      return presentPair(pair)
    },
  )

  app.post(
    '/auth/logout',
    { schema: schemas.logOutSchema, config: { access: matrix.logOutOfWallet, limit: 'refreshes' } },
    async (request) => {
      const ended = await families.logOut(request.body.refresh_token)
      if (ended) nameCaller(request, ended)
      return { success: true }
    },
  )
}
