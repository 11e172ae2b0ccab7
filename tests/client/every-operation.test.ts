import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as exported from '../../client/src/operations.ts'
import { Banyan } from '../../client/src/index.ts'
import type { Operation } from '../../client/src/operation.ts'
import { type ApiDocument, operationsOf } from '../../tools/client-generator/document.ts'
import { methodNameOf } from '../../tools/client-generator/names.ts'
import { readText } from '../support/sources.ts'

const document = JSON.parse(readText('openapi.json')) as ApiDocument
const operations = operationsOf(document)

type Sent = { method: string; url: URL; headers: Headers }
type Method = (...input: unknown[]) => Promise<unknown>

const USER_ID = exported.plainDate('2026-04-01').replaceAll('-', '') + '0000'
const CREDENTIALS = {
  basicToken: 'YTpi',
  accessToken: 'user-token',
  walletToken: 'wallet-token',
  adminApiKey: 'admin-key',
  operatorSignature: () => 't=1,v1=00',
}

/** A client whose requests go nowhere: every one gets an empty object, or an empty document. */
function recording() {
  const sent: Sent[] = []
  const record: typeof fetch = async (url, init) => {
    sent.push({
      method: String(init?.method),
      url: new URL(url instanceof Request ? url.url : url),
      headers: new Headers(init?.headers),
    })
    const type = new Headers(init?.headers).get('accept')?.split(',')[0] ?? ''
    return new Response('{}', { headers: { 'content-type': type } })
  }
  return { sent, banyan: new Banyan({ ...CREDENTIALS, baseUrl: 'https://api.example.com', fetch: record }) }
}

const AUTHORIZATION: Record<string, [header: string, value: string]> = {
  bearer: ['authorization', 'Bearer user-token'],
  wallet_bearer: ['authorization', 'Bearer wallet-token'],
  basic: ['authorization', 'Basic YTpi'],
  admin_key: ['admin-api-key', 'admin-key'],
  signature: ['operator-signature', 't=1,v1=00'],
}

describe('every operation of the document', () => {
  it('is a value of the entry point for operations', () => {
    const values = exported as unknown as Record<string, Operation | undefined>
    for (const { operationId, method, path } of operations) {
      const { id, method: sentMethod, path: sentPath } = values[operationId] ?? {}
      assert.deepEqual([id, sentMethod, sentPath], [operationId, method, path])
    }
    assert(operations.length > 80)
  })

  for (const operation of operations) {
    const { operationId, method, path, parameters, security } = operation
    const { scope, group, method: name } = methodNameOf(operation)
    const place = [scope === 'user' ? 'banyan.user(id)' : 'banyan', group, name].filter((part) => part !== '').join('.')
    it(`${operationId} is ${place}`, async () => {
      const { sent, banyan } = recording()
      const start = scope === 'user' ? banyan.user(USER_ID as never) : banyan
      const owner = (group === '' ? start : start[group as never]) as unknown as Record<string, Method>
      const ids = parameters.filter((one) => one.in === 'path' && !(scope === 'user' && one.name === 'user_id'))
      const amount = ['credit', 'debit'].includes(name) ? [exported.Money.paise(1)] : []
      await owner[name]?.(...ids.map(() => 'some/id'), ...amount, {})
      const [{ method: sentMethod, url, headers } = assert.fail('nothing was sent')] = sent
      const filled = path.replace('{user_id}', scope === 'user' ? USER_ID : 'some%2Fid')
      assert.deepEqual([sentMethod, url.pathname], [method, filled.replaceAll(/\{\w+\}/g, 'some%2Fid')])
      const [scheme] = security.length === 0 ? [] : Object.keys(security[0] ?? {})
      const [header, value] = AUTHORIZATION[scheme ?? ''] ?? []
      if (header !== undefined) assert.equal(headers.get(header), value)
      const isKeyed = parameters.some((one) => one.name === 'Idempotency-Key')
      assert.equal(headers.has('idempotency-key'), isKeyed, 'a key exactly where the service takes one')
    })
  }
})
