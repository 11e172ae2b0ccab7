import { requireConsent } from '../../../access/consent-rules.ts'
import { newId } from '../../../kernel/id.ts'
import { type Author, type Change, changed, created, operation, unchanged } from '../../../record/index.ts'
import { historyEntry, restartProvisioning, statusChanged } from './change-wallet.ts'
import { ownerFrom, tags, type Wallet, WalletRecord, versionOf } from './records.ts'
import { findWallet, INSERT_WALLET, LINKED_WALLET_IDS } from './store.ts'

export const createWallet = operation('POST /wallet', {
  access: 'createWallet',
  tags,
  summary: 'Create the wallet',
  description:
    'A user has one wallet. Returns 201 and `created: true` when the call created it, 200 and `created: false` ' +
    'when it existed. A FAILED wallet is provisioned again. Only the user creates a wallet, after signing in with a ' +
    'one-time code: a platform cannot.',
  versioned: true,
  response: { 200: WalletRecord, 201: WalletRecord },
  problems: ['conflict'],
  serializeBy: ({ request }) => ownerFrom(request).userId,
  change: async ({ deps, request }, author) => {
    const owner = ownerFrom(request)
    const wallet = await findWallet(deps.db, owner.userId)
    if (wallet && wallet.status !== 'FAILED') return unchanged({ wallet, isNew: false })
    await requireConsent(deps, 'createWallet', { ...owner, at: author.at })
    if (!wallet) return newWallet(owner, author)
    const again = restartProvisioning(wallet, author)
    return { ...again, result: { wallet: again.result, isNew: false } }
  },
  present: ({ wallet, isNew }) => {
    const versioned = versionOf(wallet, { created: isNew })
    return isNew ? created('/wallet/v1/wallet', versioned) : changed(versioned)
  },
})

/**
 * Passes through CREATED to PENDING in one write; its event starts the job that provisions the wallet. Concurrent calls
 * create one wallet, because the user id is its key.
 */
function newWallet(
  { userId, platformId }: ReturnType<typeof ownerFrom>,
  author: Author,
): Change<{ wallet: Wallet; isNew: boolean }> {
  const wallet: Wallet = {
    id: newId('wal'),
    userId,
    platformId,
    status: 'PENDING',
    partnerStatus: 'UNKNOWN',
    balancePaise: 0,
    lastPosition: 0,
    tries: 0,
    queuedAt: author.at,
    mayBeHeld: false,
    operatorStatus: null,
    operatorSequence: null,
    revision: 1,
  }
  const { id, status, partnerStatus } = wallet
  const steps = [{ from: null, to: 'CREATED' } as const, { from: 'CREATED', to: status } as const]
  return {
    result: { wallet, isNew: true },
    ...INSERT_WALLET.with({
      user_id: userId,
      platform_id: platformId,
      partner_wallet_id: id,
      wallet_status: status,
      wallet_status_partner: partnerStatus,
      at: author.at,
    }),
    rows: LINKED_WALLET_IDS.rows([{ partner_wallet_id: id, user_id: userId }]),
    history: steps.map((step) => historyEntry(wallet, step)),
    events: steps.map((step) => statusChanged(wallet, step)),
  }
}
