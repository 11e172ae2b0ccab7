import { type Static, Type } from 'typebox'
import { callJson } from '../../../../kernel/outbound/call-json.ts'
import { IndefiniteResponse } from '../../../../kernel/outbound/measured-call.ts'
import { responseCheck } from '../../../../kernel/outbound/response-check.ts'
import type { AccountResponse, AccountRequest, AccountProviderClient } from '../account-provider-client.ts'

const TIMEOUT_MS = 5_000

/** Nothing invisible, no blanks: two numbers that look alike are equal, and what a log shows is what the bank sent. */
const NUMBER = '^[^\\s\\p{Z}\\p{Cc}\\p{Cf}\\p{Cs}]+$'

const OpenedAccount = Type.Object({
  external_account_id: Type.String({ maxLength: 100, pattern: NUMBER }),
  ifsc_code: Type.String({ pattern: '^[A-Z]{4}0[A-Z0-9]{6}$' }),
})
const isOpenedAccount = responseCheck(OpenedAccount)

/** Opens a client for JSON over HTTP: `POST {url}/accounts`, deduplicated on `reference`. */
export function createAccountProviderClient({ url, apiKey }: { url: string; apiKey: string }): AccountProviderClient {
  return {
    async openAccount(request: AccountRequest): Promise<AccountResponse> {
      const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': request.reference }
      const response = await callJson({
        company: 'account_provider',
        method: 'POST',
        url: `${url}/accounts`,
        headers,
        body: request,
        timeout_ms: TIMEOUT_MS,
        isFixed: true,
        check: parseAccount,
      })
      const { status } = response
      if (status < 300) return { outcome: 'opened', ...parseAccount(response) }
      if (status === 422) return { outcome: 'refused', reason: 'The account provider responded 422.' }
      // After a lost response, the account is there: its number is what nobody knows.
      if (status === 409) throw new Error('the account provider responded 409: it may have the account already')
      if (status === 404)
        throw new Error('the account provider has no POST /accounts (404): ACCOUNT_PROVIDER_URL is not its base URL')
      throw new Error(`the account provider responded ${status}`)
    },
  }
}

function parseAccount({ status, body }: { status: number; body: unknown }): Static<typeof OpenedAccount> {
  if (status > 201) throw new IndefiniteResponse(`the account provider responded ${status}`)
  if (!isOpenedAccount(body)) throw new IndefiniteResponse('the account provider’s response does not match its schema')
  return { external_account_id: body.external_account_id, ifsc_code: body.ifsc_code }
}
