import type { MachineName, MACHINES } from '../state-machines/index.ts'

export const WAITED_FOR = ['user', 'platform', 'benefit_provider', 'sponsor', 'operator'] as const
export type WaitedFor = (typeof WAITED_FOR)[number]

/** What sets a due day. */
export const RULES = [
  'decision',
  'issue',
  'correction',
  'endorsement',
  'term_end',
  'grace_end',
  'policy_end',
  'free_look',
  'erasure_notice',
  'rights_request',
] as const
export type Rule = (typeof RULES)[number]

type Action = {
  who: WaitedFor
  title: string
  detail: string
  /** A right that runs out: nobody waits for it, so it is in no work list. */
  isRight?: true
}

export const ACTIONS = {
  take_up_application: {
    who: 'benefit_provider',
    title: 'Take up the application',
    detail: 'The application is PENDING. Set its status to VERIFICATION.',
  },
  correct_application: {
    who: 'platform',
    title: 'Correct the application',
    detail:
      'The benefit provider has sent the application back with a reason. Correct the person, or who is asked for; the benefit provider then takes it up again.',
  },
  decide_application: {
    who: 'benefit_provider',
    title: 'Decide on the application',
    detail: 'The application is in VERIFICATION. Set its status to APPROVED or REJECTED, or send it back to PENDING.',
  },
  issue_policy: {
    who: 'benefit_provider',
    title: 'Issue the policy',
    detail: 'The policy is APPROVED. Set its status to ISSUED: certificate and health cards are made from it.',
  },
  reissue_policy: {
    who: 'benefit_provider',
    title: 'Issue the policy again',
    detail:
      'The policy was changed or renewed since its last issue. Decide on its endorsements, or set its status to ISSUED, so that certificate and health cards say what holds.',
  },
  renew_policy: {
    who: 'sponsor',
    title: 'Renew the policy',
    detail:
      'The term ends. When the premium of the next one is paid, the benefit provider sets the status to ISSUED; otherwise grace begins, or the policy expires.',
  },
  pay_in_grace: {
    who: 'sponsor',
    title: 'Pay the premium before grace ends',
    detail:
      'A premium is outstanding. When it is paid, the benefit provider sets the status to ISSUED; otherwise the policy expires.',
  },
  return_policy: {
    who: 'user',
    title: 'Free look: the policy may be given back',
    detail: 'Until this day the user may give the policy back, with the end code FREE_LOOK. Nobody waits for it.',
    isRight: true,
  },
  decide_endorsement: {
    who: 'benefit_provider',
    title: 'Decide on the endorsement',
    detail: 'A change of the issued policy is REQUESTED. Accept or refuse it.',
  },
  open_account: {
    who: 'operator',
    title: 'See to it that the account is opened',
    detail: 'The account is PENDING: the bank has not said yet that it is open.',
  },
  create_wallet: {
    who: 'user',
    title: 'Create the wallet',
    detail: 'The wallet is CREATED: provisioning begins when the user creates it again.',
  },
  provision_wallet: {
    who: 'operator',
    title: 'See to it that the wallet is provisioned',
    detail: 'The external operator of wallets has not completed it yet; the program goes on asking.',
  },
  retry_wallet: {
    who: 'operator',
    title: 'Retry the wallet',
    detail:
      'The external operator of wallets rejected it, or did not respond for too long. Retry it, or have the user create it again.',
  },
  unblock_wallet: {
    who: 'operator',
    title: 'Find out why the wallet is blocked',
    detail:
      'The external operator of wallets has blocked it: it takes credits, and no debits until it is ACTIVE there.',
  },
  answer_consultation: {
    who: 'benefit_provider',
    title: 'Respond in the consultation',
    detail: 'The consultation is OPEN, and the benefit provider did not write last.',
  },
  settle_deposit: {
    who: 'benefit_provider',
    title: 'Settle the deposit with the sponsor',
    detail:
      'A reversal has left the deposit below zero: premiums were drawn from money that is gone. No policy ends by it.',
  },
  review_sponsor: {
    who: 'operator',
    title: 'Review the sponsor',
    detail: 'The sponsor is PENDING. Set its status to ACTIVE or INACTIVE.',
  },
  answer_rights_request: {
    who: 'platform',
    title: 'Respond to the rights request',
    detail:
      'A person asked for something by the law on personal data. Take it up (IN_PROGRESS), then set it to ANSWERED or REFUSED.',
  },
  follow_withdrawal: {
    who: 'platform',
    title: 'Stop what rests on the withdrawn consent',
    detail:
      'A person withdrew a consent, and something for its purpose goes on. End it, or see to it that another ground carries it. A later consent for the purpose settles it, too.',
  },
  obtain_consent: {
    who: 'platform',
    title: 'Obtain the consent of a person who turned 18',
    detail:
      'A parent or guardian had consented for this person, which counts no longer. Have the person consent as SELF; for a dependant with `dependant_id`.',
  },
  cancel_erasure: {
    who: 'platform',
    title: 'Erasure: it may still be cancelled',
    detail:
      'The data of the user is erased when the notice is over. Until then the erasure may be cancelled. Nobody waits for it.',
    isRight: true,
  },
} as const satisfies Record<string, Action>

export type ActionCode = keyof typeof ACTIONS
export const ACTION_CODES = Object.keys(ACTIONS) as ActionCode[]
export const actionOf = (code: ActionCode): Action => ACTIONS[code]

type Table = { [M in MachineName]: Record<(typeof MACHINES)[M]['states'][number], readonly ActionCode[]> }

/** What can follow in each state of every record; nobody is waited for where nothing can. A new state does not compile without its line. */
export const ACTIONS_IN = {
  insurance_policy: {
    PENDING: ['take_up_application', 'correct_application'],
    VERIFICATION: ['decide_application'],
    APPROVED: ['issue_policy'],
    ISSUED: ['return_policy'],
    REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: ['pay_in_grace'],
    REQUIRES_POLICY_REISSUANCE: ['reissue_policy'],
    REQUIRES_CUSTOMER_RENEWAL: ['renew_policy'],
    EXPIRED: [],
    REJECTED: [],
  },
  endorsement: { REQUESTED: ['decide_endorsement'], ACCEPTED: [], REFUSED: [], WITHDRAWN: [] },
  account: { PENDING: ['open_account'], ACTIVE: [], INACTIVE: [] },
  wallet: {
    CREATED: ['create_wallet'],
    PENDING: ['provision_wallet'],
    IN_PROGRESS: ['provision_wallet'],
    RETRYING: ['provision_wallet'],
    FAILED: ['retry_wallet'],
    COMPLETED: [],
  },
  wallet_at_operator: { UNKNOWN: [], ACTIVE: [], BLOCKED: ['unblock_wallet'] },
  consultation: { OPEN: ['answer_consultation'], CLOSED: [] },
  sponsor: { PENDING: ['review_sponsor'], ACTIVE: [], INACTIVE: [] },
  rights_request: {
    RECEIVED: ['answer_rights_request'],
    IN_PROGRESS: ['answer_rights_request'],
    ANSWERED: [],
    REFUSED: [],
  },
  platform: { ACTIVE: [], INACTIVE: [] },
  account_provider: { active: [], inactive: [] },
  administrator: { ACTIVE: [], DISABLED: [] },
} as const satisfies Table

/** What follows where there is no table of states; `SETTLED`: nothing any more. */
export const ACTIONS_OF_PEOPLE = {
  SCHEDULED: ['cancel_erasure'],
  CAME_OF_AGE: ['obtain_consent'],
  WITHDRAWN: ['follow_withdrawal'],
  SETTLED: [],
} as const satisfies Record<string, readonly ActionCode[]>
