import assert from 'node:assert/strict'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorFrom, actorOf } from '../../access/caller.ts'
import { matrix, type Row } from '../../access/matrix.ts'
import { scopeOnUser, userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { runOnce } from '../../kernel/http/idempotency.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { notFound } from '../../kernel/refusal.ts'
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
  const { db, vault } = deps
  const reach = (request: FastifyRequest) => reachUser(db, userScopeFrom(request))

  const bookOnce = (type: TransactionType, row: Row) => (request: FastifyRequest, reply: FastifyReply) => {
    const by = actorFrom(request)
    const { user_id: userId } = request.params as { user_id: string }
    const form = request.body as schemas.BookingForm
    const exchange = { request, reply, caller: actorOf(by.caller), operation: row.operation }
    return runOnce(deps, exchange, async (tx) => ({
      status: 201,
      body: presentTransaction(await book(tx, vault, { userId, type, form, by })),
    }))
  }

  app.post(
    '/users/:user_id/wallet/credits',
    { schema: schemas.creditSchema, config: { may: matrix.creditWallet, reach, refuses } },
    bookOnce('CREDIT', matrix.creditWallet),
  )

  app.post(
    '/users/:user_id/wallet/debits',
    { schema: schemas.debitSchema, config: { may: matrix.debitWallet, reach, refuses } },
    bookOnce('DEBIT', matrix.debitWallet),
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
