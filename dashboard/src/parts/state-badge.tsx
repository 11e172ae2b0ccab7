import type {
  Administrator,
  Benefit,
  Consultation,
  Import,
  ImportRow,
  ListedAccount,
  ListedEndorsement,
  ListedInsurancePolicy,
  OneTimeCode,
  Platform,
  RightsRequest,
  Sponsor,
  UnknownValue,
  Wallet,
  WebhookDelivery,
  WebhookEndpoint,
} from '@banyan/client'

type Tone = 'waiting' | 'working' | 'good' | 'due' | 'bad' | 'over'
type Look = { text: string; tone: Tone }

/** The states that the service has; a new one does not compile until it has a look. */
type State =
  | (
      | ListedInsurancePolicy
      | ListedAccount
      | Consultation
      | Sponsor
      | Platform
      | Administrator
      | Benefit
      | WebhookEndpoint
    )['status']
  | Wallet['wallet_status' | 'wallet_status_partner']
  | WebhookDelivery['status']
  | (OneTimeCode | ListedEndorsement | Import | RightsRequest)['state']
  | ImportRow['outcome']

/** What each state is called here, and what it means for the one who looks. */
const LOOKS: Readonly<Record<string, Look>> = {
  PENDING: { text: 'Pending', tone: 'waiting' },
  VERIFICATION: { text: 'In verification', tone: 'working' },
  SENT_BACK: { text: 'Sent back', tone: 'due' },
  APPROVED: { text: 'Approved', tone: 'working' },
  ISSUED: { text: 'Issued', tone: 'good' },
  REQUIRES_POLICY_REISSUANCE: { text: 'To reissue', tone: 'due' },
  REQUIRES_CUSTOMER_RENEWAL: { text: 'Renewal due', tone: 'due' },
  REQUIRES_CUSTOMER_RENEWAL_IN_GRACE: { text: 'In grace', tone: 'due' },
  EXPIRED: { text: 'Expired', tone: 'over' },
  REJECTED: { text: 'Rejected', tone: 'bad' },
  ACTIVE: { text: 'Active', tone: 'good' },
  INACTIVE: { text: 'Inactive', tone: 'over' },
  CREATED: { text: 'Created', tone: 'waiting' },
  IN_PROGRESS: { text: 'In progress', tone: 'working' },
  RETRYING: { text: 'Retrying', tone: 'due' },
  COMPLETED: { text: 'Completed', tone: 'good' },
  FAILED: { text: 'Failed', tone: 'bad' },
  BLOCKED: { text: 'Blocked', tone: 'bad' },
  UNKNOWN: { text: 'Unknown', tone: 'waiting' },
  OPEN: { text: 'Open', tone: 'working' },
  CLOSED: { text: 'Closed', tone: 'over' },
  ARCHIVED: { text: 'Archived', tone: 'over' },
  DISABLED: { text: 'Disabled', tone: 'bad' },
  DELIVERED: { text: 'Delivered', tone: 'good' },
  ONBOARDED: { text: 'Onboarded', tone: 'good' },
  NOT_ONBOARDED: { text: 'Not onboarded', tone: 'waiting' },
  ERASURE_SCHEDULED: { text: 'To be erased', tone: 'bad' },
  ERASED: { text: 'Erased', tone: 'over' },
  THERE: { text: 'There', tone: 'good' },
  MISSING: { text: 'Missing', tone: 'due' },
  WAITING: { text: 'Not yet', tone: 'working' },
  NOT_SHOWN: { text: 'Not shown', tone: 'over' },
  QUEUED: { text: 'Queued', tone: 'waiting' },
  SENT: { text: 'Sent', tone: 'good' },
  USED: { text: 'Used', tone: 'good' },
  VOID: { text: 'Void', tone: 'over' },
  REQUESTED: { text: 'Requested', tone: 'waiting' },
  OVERDUE: { text: 'Overdue', tone: 'due' },
  LOW: { text: 'Low', tone: 'due' },
  BELOW_ZERO: { text: 'Below zero', tone: 'bad' },
  ACCEPTED: { text: 'Accepted', tone: 'good' },
  RECEIVED: { text: 'Received', tone: 'waiting' },
  ANSWERED: { text: 'Answered', tone: 'good' },
  REFUSED: { text: 'Refused', tone: 'bad' },
  WITHDRAWN: { text: 'Withdrawn', tone: 'over' },
  CHECKING: { text: 'Checking', tone: 'working' },
  WRITING: { text: 'Writing', tone: 'working' },
  DONE: { text: 'Done', tone: 'good' },
  STOPPED: { text: 'Stopped', tone: 'bad' },
  LOST: { text: 'Lost', tone: 'due' },
  REFUSED_BY_LIMIT: { text: 'Refused by limit', tone: 'bad' },
} satisfies Record<Uppercase<Exclude<State, UnknownValue>>, Look> & Record<string, Look>

/** A shape for each tone, so that it is not the colour alone that says it. */
const SHAPES: Readonly<Record<Tone, string>> = {
  waiting: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zm0 2a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z',
  working: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zm0 2v7a3.5 3.5 0 0 1 0-7z',
  good: 'M6.6 12.6 2.4 8.4l1.5-1.5 2.7 2.7 5.5-5.5 1.5 1.5z',
  due: 'M8 2 14.5 13.5h-13zm-.8 4.2v3.6h1.6V6.2zm0 4.6v1.5h1.6v-1.5z',
  bad: 'M4 2.6 8 6.6l4-4L13.4 4l-4 4 4 4-1.4 1.4-4-4-4 4L2.6 12l4-4-4-4z',
  over: 'M3 7h10v2H3z',
}

export const stateText = (state: string): string => LOOKS[state.toUpperCase()]?.text ?? wordsOf(state)

/** States that a newer service has are shown by their name. */
export const wordsOf = (state: string): string => {
  const words = state.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function StateBadge({ state }: { state: string }) {
  const tone = LOOKS[state.toUpperCase()]?.tone ?? 'waiting'
  return (
    <span className="state" data-tone={tone}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={SHAPES[tone]} fill="currentColor" fillRule="evenodd" />
      </svg>
      {stateText(state)}
    </span>
  )
}
