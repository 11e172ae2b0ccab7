import assert from 'node:assert/strict'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import { scopeOnUser, userScopeFrom, type UserScope } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import type { Page } from '../../../kernel/db/page.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import { perform, responding } from '../../../record/index.ts'
import { ensureUserInScope } from '../../people/users/index.ts'
import { noWallet } from '../wallets/index.ts'
import { book } from './book.ts'
import { presentTransaction } from './present.ts'
import * as schemas from './schemas.ts'
import { listTransactions, type TransactionType } from './store.ts'

const refuses = ['conflict', 'invalid_state', 'idempotency_in_progress', 'idempotency_key_reused'] as const

/** Mounts credits, debits and the list of transactions, under `{base_url}`. */
export function bookingRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { db } = deps
  const loadTarget = (request: FastifyRequest) => ensureUserInScope(db, userScopeFrom(request))

  const bookOnce = (type: TransactionType) => (request: FastifyRequest, reply: FastifyReply) => {
    const booking = { userId: param(request, 'user_id'), type, input: request.body as schemas.BookingInput }
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
    { schema: schemas.creditSchema, config: { access: matrix.creditWallet, loadTarget, refuses } },
    bookOnce('CREDIT'),
  )

  app.post(
    '/users/:user_id/wallet/debits',
    { schema: schemas.debitSchema, config: { access: matrix.debitWallet, loadTarget, refuses } },
    bookOnce('DEBIT'),
  )

  app.get(
    '/users/:user_id/wallet/transactions',
    { schema: schemas.listUserTransactionsSchema, config: { access: matrix.listUserWalletTransactions, loadTarget } },
    (request, reply) =>
      sendTransactions(deps, { scope: userScopeFrom(request), page: pageFrom(request.query), request, reply }),
  )
}

/** Mounts the wallet user's list of transactions, under `{wallet_base_url}`. */
export function transactionRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  app.get(
    '/wallet/transactions',
    { schema: schemas.listTransactionsSchema, config: { access: matrix.listWalletTransactions } },
    async (request, reply) => {
      assert(request.caller.kind === 'wallet_user', 'the access matrix admits wallet users only')
      const scope = scopeOnUser(request.caller, request.caller.userId)
      const listing = { scope, page: pageFrom(request.query), request, reply }
      const page = await foundOrUndefined(sendTransactions(deps, listing))
      if (!page) throw noWallet()
      return page
    },
  )
}

type Listing = { scope: UserScope; page: Page; request: FastifyRequest; reply: FastifyReply }

async function sendTransactions(deps: Deps, { scope, page, ...exchange }: Listing) {
  const { rows, total } = await listTransactions(deps, scope, page)
  return paged(exchange, { ...page, total }, rows.map(presentTransaction))
}
