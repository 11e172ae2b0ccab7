import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import { actorFrom } from '../../access/caller.ts'
import { matrix } from '../../access/matrix.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord } from '../../kernel/http/conditional.ts'
import { installRawBody } from '../../kernel/http/framing.ts'
import type { App } from '../../kernel/http/server.ts'
import { notFound } from '../../kernel/refusal.ts'
import { createWallet } from './create-wallet.ts'
import { presentWallet } from './present.ts'
import { checkSignature, receiveOperatorEvent } from './receive-operator-event.ts'
import * as schemas from './schemas.ts'
import { findWallet, openWalletLookup } from './store.ts'

const HERE = '/wallet/v1/wallet'

/** Mounted under `{wallet_base_url}`. */
export function walletRoutes(app: App, deps: Deps & { operatorSecret: string }): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { db } = deps
  const lookUp = openWalletLookup(db)
  const reach = async (request: FastifyRequest) => {
    const wallet = await lookUp(ownerFrom(request).userId)
    if (!wallet || wallet.id !== (request.params as { wallet_id: string }).wallet_id) throw notFound()
    return wallet
  }

  app.post(
    '/wallet',
    { schema: schemas.createWalletSchema, config: { may: matrix.createWallet } },
    async (request, reply) => {
      const owner = ownerFrom(request)
      const known = await lookUp(owner.userId)
      if (known && known.status !== 'FAILED') {
        return answerChanged(reply, { record: presentWallet(known, { created: false }), revision: known.revision })
      }
      const { wallet, created } = await db.transaction((tx) =>
        createWallet(tx, deps, { ...owner, by: actorFrom(request) }),
      )
      if (created) reply.code(201).header('location', HERE)
      return answerChanged(reply, { record: presentWallet(wallet, { created }), revision: wallet.revision })
    },
  )

  app.get(
    '/wallet',
    { schema: schemas.readWalletSchema, config: { may: matrix.readWallet } },
    async (request, reply) => {
      const wallet = await findWallet(db, ownerFrom(request).userId)
      if (!wallet) throw notFound()
      const record = presentWallet(wallet, { created: false })
      return answerRecord({ request, reply }, { record, revision: wallet.revision })
    },
  )

  app.get(
    '/wallet/:wallet_id/status',
    { schema: schemas.readWalletStatusSchema, config: { may: matrix.readWalletStatus, reach } },
    async (request, reply) => {
      const wallet = await reach(request)
      const record = { wallet_id: wallet.id, wallet_status: wallet.status }
      return answerRecord({ request, reply }, { record, revision: wallet.revision })
    },
  )

  void app.register(async (scope) => operatorEventRoute(scope as App, deps))
}

function ownerFrom({ caller }: FastifyRequest): { userId: string; platformId: string } {
  assert(caller.kind === 'wallet_user', 'only wallet users are let in here')
  return { userId: caller.userId, platformId: caller.platformId }
}

/** The signature covers the bytes as they came, so this operation keeps them. */
function operatorEventRoute(app: App, { db, clock, operatorSecret }: Deps & { operatorSecret: string }): void {
  installRawBody(app, (request, body) =>
    checkSignature({ header: request.headers['operator-signature'], body, secret: operatorSecret, clock }),
  )
  app.post(
    '/operator/events',
    { schema: schemas.receiveOperatorEventSchema, config: { may: matrix.receiveOperatorEvent } },
    async (request) => ({ received: await db.transaction((tx) => receiveOperatorEvent(tx, request.body)) }),
  )
}
