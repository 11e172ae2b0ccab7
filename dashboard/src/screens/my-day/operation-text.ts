import type { AuditEntry } from '@banyan/client'

/** What the most frequent operations are called here. */
const TEXTS: Readonly<Record<string, string>> = {
  setInsurancePolicyStatus: 'Policy moved on',
  assignInsurancePolicy: 'Policy assigned',
  releaseInsurancePolicy: 'Policy released',
  setEndorsementState: 'Endorsement decided',
  setInsurancePolicyNominee: 'Nominee set',
  setInsurancePolicyMember: 'Member’s days set',
  createMessage: 'Message written',
  setConsultationStatus: 'Consultation closed',
  uploadDocument: 'Document replaced',
  updateUser: 'Person corrected',
  updateDependant: 'Dependant corrected',
  retryWallet: 'Wallet retried',
  creditWallet: 'Wallet credited',
  debitWallet: 'Wallet debited',
  createImport: 'List imported',
  addDepositEntry: 'Deposit entered',
  setDepositLowBelow: 'Level of a deposit set',
  createComparison: 'File compared',
  setWalletLimits: 'Limits of wallets set',
  setConsentRules: 'Consent rules set',
  setRightsRequestState: 'Rights request moved on',
}

/** Returns what was done, in the words of the service where there are none here. */
export const operationText = ({ operation, summary }: Pick<AuditEntry, 'operation' | 'summary'>): string =>
  TEXTS[operation] ?? summary
