/** What the most frequent operations are called here. */
const TEXTS: Readonly<Record<string, string>> = {
  setInsurancePolicyStatus: 'Policy moved on',
  createMessage: 'Message written',
  setConsultationStatus: 'Consultation closed',
  uploadDocument: 'Document replaced',
  updateUser: 'Person corrected',
  updateDependant: 'Dependant corrected',
  retryWallet: 'Wallet retried',
  creditWallet: 'Wallet credited',
  debitWallet: 'Wallet debited',
}

/** Returns the words of an operation's name, where it has no other text. */
export function operationText(operation: string): string {
  const words = operation.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return TEXTS[operation] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
