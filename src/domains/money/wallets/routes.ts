import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../../../access/caller.ts'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { installRawBody } from '../../../kernel/http/framing.ts'
import { param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import { type By, changed, commit, created, perform } from '../../../record/index.ts'
import { newId } from '../../../kernel/id.ts'
import { createWallet } from './create-wallet.ts'
import { versionOf } from './present.ts'
import type { OperatorEvents } from './operator.ts'
import { receiveOperatorEvent } from './receive-operator-event.ts'
import * as schemas from './schemas.ts'
import { retryWallet } from './retry-wallet.ts'
import { existingWallet, findWallet, findWalletInScope } from './store.ts'

const LOCATION = '/wallet/v1/wallet'

/** Mounts the routes of wallet users, under `{wallet_base_url}`. */
export function walletRoutes(app: App, deps: Deps & { operatorEvents: OperatorEvents }): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { db } = deps
  const loadTarget = async (request: FastifyRequest) => {
    const wallet = await findWallet(db, ownerFrom(request).userId)
    if (!wallet || wallet.id !== param(request, 'wallet_id')) throw notFound()
    return wallet
  }

  app.post(
    '/wallet',
    { schema: schemas.createWalletSchema, config: { access: matrix.createWallet } },
    (request, reply) => {
      const owner = ownerFrom(request)
      return perform(deps, {
        request,
        reply,
        turn: owner.userId,
        decide: (by) => createWallet(db, owner, by),
        present: ({ wallet, created: isNew }) => {
          const versioned = versionOf(wallet, { created: isNew })
          return isNew ? created(LOCATION, versioned) : changed(versioned)
        },
      })
    },
  )

  app.get(
    '/wallet',
    { schema: schemas.readWalletSchema, config: { access: matrix.readWallet } },
    async (request, reply) => {
      const wallet = await existingWallet(db, ownerFrom(request).userId)
      return sendRecord({ request, reply }, versionOf(wallet))
    },
  )

  app.get(
    '/wallet/:wallet_id/status',
    { schema: schemas.readWalletStatusSchema, config: { access: matrix.readWalletStatus, loadTarget, isShared: true } },
    async (request, reply) => {
      const wallet = await loadTarget(request)
      const record = { wallet_id: wallet.id, wallet_status: wallet.status }
      return sendRecord({ request, reply }, { record, revision: wallet.revision })
    },
  )

  void app.register(async (scope) => operatorEventRoute(scope as App, deps))
}

/** Mounts the routes of platforms and administrators, under `{base_url}`. */
export function userWalletRoutes(app: App, deps: Deps): void {
  app.addSchema(schemas.Wallet)
  const { db } = deps
  const loadTarget = (request: FastifyRequest) => findWalletInScope(db, userScopeFrom(request))

  app.get(
    '/users/:user_id/wallet',
    { schema: schemas.readUserWalletSchema, config: { access: matrix.readUserWallet, loadTarget } },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await loadTarget(request))),
  )

  app.post(
    '/users/:user_id/wallet/retry',
    {
      schema: schemas.retryWalletSchema,
      config: { access: matrix.retryWallet, loadTarget, refuses: ['not_found', 'invalid_state'] },
    },
    (request, reply) => {
      const { user_id: userId } = request.params
      return perform(deps, {
        request,
        reply,
        turn: userId,
        decide: (by) => retryWallet(db, userId, by),
        present: (wallet) => changed(versionOf(wallet)),
      })
    },
  )
}

function ownerFrom({ caller }: FastifyRequest): { userId: string; platformId: string } {
  assert(caller.kind === 'wallet_user', 'the access matrix admits wallet users only')
  return { userId: caller.userId, platformId: caller.platformId }
}

/** Keeps the raw body, because the signature covers its bytes. */
function operatorEventRoute(app: App, deps: Deps & { operatorEvents: OperatorEvents }): void {
  const { db, operatorEvents } = deps
  installRawBody(app, (request, bytes) => operatorEvents.parseEvent(request.headers, bytes))
  app.post(
    '/operator/events',
    {
      schema: schemas.receiveOperatorEventSchema,
      config: { access: matrix.receiveOperatorEvent, limit: 'operatorEvents' },
    },
    async (request) => {
      const { body } = request
      request.callerName = 'wallet_operator' // its signature was verified while the body was read
      const by: Actor = { caller: { kind: 'system', job: 'operator-event' }, requestId: newId('job') }
      const decide = (now: By) => receiveOperatorEvent(db, body, now)
      return { received: await commit(deps, by, decide, { turn: body.reference }) }
    },
  )
}
