import { CONSENT_PURPOSES } from '../../../access/consent-rules.ts'
import type { EventType, EventValues } from '../../../record/index.ts'
import { ACCOUNT_PROVIDER_STATUSES } from '../../partners/account-providers/index.ts'
import { ACCOUNT_STATUSES } from '../../money/accounts/index.ts'
import { ADMINISTRATOR_STATUSES } from '../../administration/administrators/index.ts'
import { ACTION_CODES, ANNOUNCED_KINDS, RULES, WAITED_FOR } from '../../administration/next-actions/index.ts'
import { CONSULTATION_STATUSES } from '../../care/consultations/index.ts'
import { TRANSACTION_TYPES } from '../../money/ledger/index.ts'
import { RIGHTS_STATES } from '../../people/rights-requests/index.ts'
import { PLATFORM_STATUSES } from '../../partners/platforms/index.ts'
import { ENDORSEMENT_STATES } from '../../cover/endorsements/index.ts'
import { POLICY_STATUSES } from '../../cover/policies/index.ts'
import { SPONSOR_STATUSES } from '../../partners/sponsors/index.ts'
import { PARTNER_STATUSES, WALLET_STATUSES } from '../../money/wallets/index.ts'
import { DISABLED_REASONS } from '../webhooks/index.ts'

const states = (statuses: readonly string[]) => ({ from: statuses, to: statuses })

/** The words in payloads, from the lists that records show too, so that clients get one type for both. */
export const EVENT_VALUES = {
  'policy.status_changed': states(POLICY_STATUSES),
  'account.status_changed': states(ACCOUNT_STATUSES),
  'wallet.status_changed': { ...states(WALLET_STATUSES), partner_from: PARTNER_STATUSES, partner_to: PARTNER_STATUSES },
  'consultation.status_changed': states(CONSULTATION_STATUSES),
  'sponsor.status_changed': states(SPONSOR_STATUSES),
  'platform.status_changed': states(PLATFORM_STATUSES),
  'account_provider.status_changed': states(ACCOUNT_PROVIDER_STATUSES),
  'endorsement.status_changed': states(ENDORSEMENT_STATES),
  'rights_request.status_changed': states(RIGHTS_STATES),
  'administrator.status_changed': states(ADMINISTRATOR_STATUSES),
  'next_action.due': { subject_kind: ANNOUNCED_KINDS, code: ACTION_CODES, who: WAITED_FOR, rule: RULES },
  'consent.given': { purpose: CONSENT_PURPOSES },
  'consent.withdrawn': { purpose: CONSENT_PURPOSES },
  'wallet.balance_changed': { transaction_type: TRANSACTION_TYPES },
  'webhook_endpoint.disabled': { reason: DISABLED_REASONS },
} satisfies EventValues & Record<Extract<EventType, `${string}.status_changed`>, object>

/** Every state that a record can be in, each once. */
export const STATES: readonly string[] = [
  ...new Set(
    Object.values<EventValues[EventType]>(EVENT_VALUES).flatMap((values) =>
      [values?.['to'], values?.['partner_to']].flat(),
    ),
  ),
].filter((state) => state !== undefined)
