/**
 * What the operator says of a wallet when it is asked: the truth; the other status under the same sequence; the status that it
 * began with; the wallet of another person, with its reference or under the one that was asked for; a balance, which is nobody's to
 * name. Its own records and its callbacks stay true.
 */
export const LIES = ['none', 'other_status', 'first_status', 'swapped', 'swapped_unnoticed', 'balance'] as const
export type Lie = (typeof LIES)[number]

type HeldWallet = { reference: string; status: 'ACTIVE' | 'BLOCKED'; sequence: number }

const MADE_UP_BALANCE = 99_999_900

/** Returns what is said of a wallet among all that the operator has. Alone, a wallet has none to be swapped with. */
export function lieAbout(wallet: HeldWallet, all: readonly HeldWallet[], lie: Lie): object {
  switch (lie) {
    case 'none':
      return wallet
    case 'other_status':
      return { ...wallet, status: wallet.status === 'ACTIVE' ? 'BLOCKED' : 'ACTIVE' }
    case 'first_status':
      return { ...wallet, status: 'ACTIVE', sequence: 1 }
    case 'swapped':
      return nextTo(wallet, all)
    case 'swapped_unnoticed':
      return { ...nextTo(wallet, all), reference: wallet.reference }
    case 'balance':
      return { ...wallet, balance: MADE_UP_BALANCE }
  }
}

/** Pairs them, the latest two first. */
const nextTo = (wallet: HeldWallet, all: readonly HeldWallet[]): HeldWallet =>
  all.at(-1 - ((all.length - 1 - all.indexOf(wallet)) ^ 1)) ?? wallet
