/** `reference` is the account's id, so that a repeated request opens one account. */
export type AccountRequest = {
  reference: string
  account_type: string
  holder: { first_name: string; last_name: string }
  origin: { account_number: string; ifsc_code: string }
}

/** The account, or a permanent rejection. Anything else throws and is retried. */
export type AccountResponse =
  | { outcome: 'opened'; external_account_id: string; ifsc_code: string }
  | { outcome: 'refused'; reason: string }

export type AccountProviderClient = { openAccount(request: AccountRequest): Promise<AccountResponse> }
