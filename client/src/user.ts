import type { Connection } from './connection.ts'
import type { AccountId, PolicyId, UserId } from './generated/ids.ts'
import { UserAccountsOperations, UserPoliciesOperations, UserScope } from './generated/groups.ts'
import type { AccountStatus, InsurancePolicyStatus } from './generated/schemas.ts'
import { type WaitOptions, waitFor } from './waiting-for.ts'

type PolicyState = InsurancePolicyStatus['status']
type AccountState = AccountStatus['status']

/** A policy does not come back from here by itself. */
const FINAL_STATES: readonly string[] = ['REJECTED', 'EXPIRED']

export class UserPolicies extends UserPoliciesOperations {
  /** Waits until the policy is in that state, or in one of those. Throws a `WaitError` when it ended in another. */
  waitFor(
    policyId: PolicyId,
    states: PolicyState | readonly PolicyState[],
    options: WaitOptions = {},
  ): Promise<InsurancePolicyStatus> {
    return waitFor<InsurancePolicyStatus>(
      (how) => this.readStatus(policyId, how),
      { isReached: ({ status }) => states.includes(status), isFinal: ({ status }) => FINAL_STATES.includes(status) },
      options,
    )
  }
}

export class UserAccounts extends UserAccountsOperations {
  /** Waits until the account is in that state: `ACTIVE`, when the bank has opened it. */
  waitFor(accountId: AccountId, state: AccountState, options: WaitOptions = {}): Promise<AccountStatus> {
    return waitFor<AccountStatus>(
      (how) => this.readStatus(accountId, how),
      { isReached: ({ status }) => status === state, isFinal: () => false },
      options,
    )
  }
}

/** What concerns one user. */
export class User extends UserScope {
  override readonly policies: UserPolicies
  override readonly accounts: UserAccounts

  constructor(connection: Connection, userId: UserId) {
    super(connection, userId)
    this.policies = new UserPolicies(connection, userId)
    this.accounts = new UserAccounts(connection, userId)
  }
}
