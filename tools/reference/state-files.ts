import { CONSULTATION_MACHINE } from '../../src/domains/care/consultations/states.ts'
import { ENDORSEMENT_MACHINE, type EndorsementState } from '../../src/domains/cover/endorsements/states.ts'
import { POLICY_MACHINE, type PolicyStatus } from '../../src/domains/cover/policies/states.ts'
import { ACCOUNT_MACHINE, type AccountStatus } from '../../src/domains/money/accounts/states.ts'
import {
  PARTNER_TRANSITIONS,
  type PartnerStatus,
  WALLET_TRANSITIONS,
  type WalletStatus,
} from '../../src/domains/money/wallets/states.ts'
import { ACCOUNT_PROVIDER_MACHINE } from '../../src/domains/partners/account-providers/states.ts'
import { PLATFORM_MACHINE } from '../../src/domains/partners/platforms/states.ts'
import { SPONSOR_MACHINE, type SponsorStatus } from '../../src/domains/partners/sponsors/states.ts'
import type { Transition } from '../../src/record/index.ts'
import { page, table } from './markdown.ts'
import { stateDiagram } from './state-diagram.ts'

const POLICY: Record<PolicyStatus, string> = {
  PENDING: 'Enrolled; the benefit provider has not begun.',
  VERIFICATION: 'The benefit provider checks the application.',
  APPROVED: 'Accepted; cover has not been issued yet.',
  ISSUED: 'Issued: the member has a certificate and cards. Cover is valid within the term.',
  REQUIRES_CUSTOMER_RENEWAL: 'The renewal window is open. Cover continues to the end of the term.',
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: 'The term is over, or an instalment was missed, and grace runs.',
  REQUIRES_POLICY_REISSUANCE: 'A person on the policy was corrected: new documents have to be issued. Cover continues.',
  EXPIRED: 'Over, after it covered somebody.',
  REJECTED: 'Over, and it never covered anybody.',
}
const ENDORSEMENT: Record<EndorsementState, string> = {
  REQUESTED: 'Waits for the benefit provider, who should decide by `due_on`.',
  ACCEPTED: 'Part of the policy, with its next issue.',
  REFUSED: 'Not part of the policy, whose last issue stays in force.',
  WITHDRAWN: 'Without purpose any more: the policy has ended.',
}
const WALLET: Record<WalletStatus, string> = {
  CREATED: 'The record exists; nothing was requested.',
  PENDING: 'A job will call the operator.',
  IN_PROGRESS: 'The operator is being called.',
  RETRYING: 'The response was not clear. The wallet is looked up before it is requested again.',
  COMPLETED: 'The operator holds the wallet. It can be credited and debited.',
  FAILED: 'The operator rejected it, or there were too many tries. The user, or an administrator, can start again.',
}
const HELD: Record<PartnerStatus, string> = {
  UNKNOWN: 'Provisioning is not completed.',
  ACTIVE: 'In use.',
  BLOCKED: 'Blocked by the operator: takes credits, refuses debits.',
}
const ACCOUNT: Record<AccountStatus, string> = {
  PENDING: 'Requested from the account provider, which has not responded.',
  ACTIVE: 'Open, with its number.',
  INACTIVE: 'Closed by an administrator, or never opened.',
}
const SPONSOR: Record<SponsorStatus, string> = {
  PENDING: 'Waits for an administrator to review it.',
  ACTIVE: 'Pays: its benefits can be issued.',
  INACTIVE: 'Does not pay: no cover begins.',
}

type Kind = {
  title: string
  file: string
  about: string
  meanings: Readonly<Record<string, string>>
  transitions: readonly Transition[]
}

const KINDS: readonly Kind[] = [
  {
    title: 'Policy',
    file: 'policy',
    about:
      'The benefit provider moves a policy to `ISSUED`. The calendar of India opens the renewal window, begins grace and ends the policy. [Renewals and grace](../partners/renewals.md) has the dates.',
    meanings: POLICY,
    transitions: POLICY_MACHINE.table,
  },
  {
    title: 'Endorsement',
    file: 'endorsement',
    about:
      'A change of a policy that was issued waits for its benefit provider. Issuing the policy accepts all of them; its end withdraws them.',
    meanings: ENDORSEMENT,
    transitions: ENDORSEMENT_MACHINE.table,
  },
  {
    title: 'Account',
    file: 'account',
    about: 'An account becomes `ACTIVE` when the account provider has opened it.',
    meanings: ACCOUNT,
    transitions: ACCOUNT_MACHINE.table,
  },
  {
    title: 'Wallet',
    file: 'wallet',
    about: '`wallet_status` says how far the wallet is opened at the operator.',
    meanings: WALLET,
    transitions: WALLET_TRANSITIONS,
  },
  {
    title: 'Wallet at the operator',
    file: 'wallet-at-operator',
    about: '`wallet_status_partner` is the status that the operator reports, once provisioning is completed.',
    meanings: HELD,
    transitions: PARTNER_TRANSITIONS,
  },
  {
    title: 'Consultation',
    file: 'consultation',
    about: 'A closed consultation takes no more messages.',
    meanings: { OPEN: 'Takes messages.', CLOSED: 'Can only be read.' },
    transitions: CONSULTATION_MACHINE.table,
  },
  {
    title: 'Sponsor',
    file: 'sponsor',
    about: 'An administrator reviews each sponsor.',
    meanings: SPONSOR,
    transitions: SPONSOR_MACHINE.table,
  },
  {
    title: 'Platform',
    file: 'platform',
    about: 'While a platform is `INACTIVE`, it and all its users are refused.',
    meanings: { ACTIVE: 'In use.', INACTIVE: 'Disabled. Its tokens stay invalid when it is enabled again.' },
    transitions: PLATFORM_MACHINE.table,
  },
  {
    title: 'Account provider',
    file: 'account-provider',
    about: 'New accounts are opened at the active account provider that was created first.',
    meanings: { active: 'Gets new accounts.', inactive: 'Gets no new accounts; those it has stay.' },
    transitions: ACCOUNT_PROVIDER_MACHINE.table,
  },
]

const INTRODUCTION = `A status changes only along these transitions. Another one is a 409 [\`invalid_state\`](errors.md#invalid_state), with the current
state and those that you can set. Setting the current state again changes nothing. Each transition is an [event](events.md).`

const CALLERS: Record<string, string> = {
  system: 'the program',
  platform: 'platform',
  user: 'app user',
  provider: 'benefit provider',
  operator: 'operator',
  owner: 'owner',
  admin_key: 'administrator key',
  wallet_user: 'wallet user',
}
const whoIn = ({ who }: Transition) => who.map((caller) => CALLERS[caller] ?? caller)

/** Returns the page of all state tables and a picture of each, drawn from the tables themselves. */
export function stateFiles(): Record<string, string> {
  const sections = KINDS.map(({ title, file, about, meanings, transitions }) => {
    const states = table(
      ['State', 'Meaning'],
      Object.entries(meanings).map(([state, meaning]) => [`\`${state}\``, meaning]),
    )
    const rows = transitions.map((one) => [`\`${one.from}\``, `\`${one.to}\``, whoIn(one).join(', ')])
    const picture = `![Transitions of a ${title.toLowerCase()}; the table below lists them](states/${file}.svg)`
    return `## ${title}\n\n${about}\n\n${picture}\n\n${states}\n\n${table(['From', 'To', 'By'], rows)}`
  })
  const pictures = KINDS.map(({ file, title, meanings, transitions }) => [
    `states/${file}.svg`,
    stateDiagram(title, Object.keys(meanings), transitions),
  ])
  return { 'states.md': page('States', INTRODUCTION, ...sections), ...Object.fromEntries(pictures) }
}
