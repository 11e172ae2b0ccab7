/** What the account provider is asked for. `reference` is the account's id: asking twice opens one account. */
export type AccountRequest = {
  reference: string
  account_type: string
  holder: { first_name: string; last_name: string }
  origin: { account_number: string; ifsc_code: string }
}

/** The account, or a refusal that no second try will change. Anything else is thrown and tried again. */
export type AccountResponse =
  | { outcome: 'opened'; external_account_id: string; ifsc_code: string }
  | { outcome: 'refused'; reason: string }

/** The account provider's side of a purpose-bound account. */
export type AccountProviderClient = { openAccount(request: AccountRequest): Promise<AccountResponse> }
