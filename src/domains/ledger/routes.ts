import assert from 'node:assert/strict'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { matrix } from '../../access/matrix.ts'
import { scopeOnUser, userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import { param } from '../../kernel/http/param.ts'
import type { App } from '../../kernel/http/server.ts'
import { notFound } from '../../kernel/refusal.ts'
import { perform, responding } from '../../record/index.ts'
import { findUser, reachUser } from '../users/index.ts'
import { findWallet } from '../wallets/index.ts'
import { book } from './book.ts'
import { presentTransaction } from './present.ts'
import * as schemas from './schemas.ts'
import { listTransactions, type TransactionType } from './store.ts'

const refuses = ['conflict', 'invalid_state', 'idempotency_in_progress', 'idempotency_key_reused']

/** Credits and debits, under `{base_url}`. */
export function bookingRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { db } = deps
  const reach = (request: FastifyRequest) => reachUser(db, userScopeFrom(request))

  const bookOnce = (type: TransactionType) => (request: FastifyRequest, reply: FastifyReply) => {
    const booking = { userId: param(request, 'user_id'), type, form: request.body as schemas.BookingForm }
    return perform(deps, {
      request,
      reply,
      turn: booking.userId,
      decide: (by) => book(deps, booking, by),
      present: (transaction) => responding(presentTransaction(transaction), 201),
    })
  }

  app.post(
    '/users/:user_id/wallet/credits',
    { schema: schemas.creditSchema, config: { may: matrix.creditWallet, reach, refuses } },
    bookOnce('CREDIT'),
  )

  app.post(
    '/users/:user_id/wallet/debits',
    { schema: schemas.debitSchema, config: { may: matrix.debitWallet, reach, refuses } },
    bookOnce('DEBIT'),
  )
}

/** What the wallet user sees, under `{wallet_base_url}`. */
export function transactionRoutes(app: App, { db, vault }: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  app.get(
    '/wallet/transactions',
    { schema: schemas.listTransactionsSchema, config: { may: matrix.listWalletTransactions } },
    async (request, reply) => {
      assert(request.caller.kind === 'wallet_user', 'only wallet users are let in here')
      const page = pageFrom(request.query)
      const user = await findUser(db, vault, scopeOnUser(request.caller, request.caller.userId))
      if (!(await findWallet(db, user.id))) throw notFound()
      const { rows, total } = await listTransactions(db, { userId: user.id, key: user.key }, page)
      return paged({ request, reply }, { ...page, total }, rows.map(presentTransaction))
    },
  )
}
