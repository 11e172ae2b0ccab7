import type { Static } from 'typebox'
import type { Wallet as WalletSchema } from './schemas.ts'
import type { Wallet } from './store.ts'

export const presentWallet = (wallet: Wallet, { created }: { created: boolean }): Static<typeof WalletSchema> => ({
  partner_wallet_id: wallet.id,
  user_id: wallet.userId,
  balance: wallet.balancePaise,
  created,
  wallet_status: wallet.status,
  wallet_status_partner: wallet.partnerStatus,
})

export const versionOf = (wallet: Wallet, { created = false } = {}) => ({
  record: presentWallet(wallet, { created }),
  revision: wallet.revision,
})
