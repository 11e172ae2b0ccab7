import { type Entry, isAcknowledged } from './journal.ts'
import { counted, countEvents, exactly, type Finding, type World, findingUnless } from './world.ts'

const WALLET_STATUSES = ['PENDING', 'IN_PROGRESS', 'RETRYING', 'COMPLETED', 'FAILED']

/** Each wallet ends up provisioned, once here and once at the operator. */
export function checkWallets({ journal, stored, walletsHeld }: World): Finding[] {
  const owners = new Set([...journal.owners('wallet'), ...stored.wallets.map(({ user_id }) => user_id)])
  return [
    ...[...owners].flatMap((userId) => {
      const entries = journal.entries('wallet', userId)
      const found = stored.wallets.filter(({ user_id }) => user_id === userId)
      const isSame = entries.filter(isAcknowledged).every((entry) => found[0]?.partner_wallet_id === walletIdOf(entry))
      return [
        ...counted(`wallet of ${userId}`, entries, found.length),
        ...findingUnless(isSame, `the wallet of ${userId} has another id than was acknowledged`),
      ]
    }),
    ...stored.wallets.flatMap(({ partner_wallet_id: id, wallet_status }) => [
      ...findingUnless(wallet_status === 'COMPLETED', `wallet ${id} ended ${wallet_status}`),
      ...exactly(`wallet ${id} at the operator`, walletsHeld.filter((reference) => reference === id).length, 1),
    ]),
    ...exactly('wallets at the operator', walletsHeld.length, stored.wallets.length),
  ]
}

const walletIdOf = ({ said }: Entry) => (said as { partner_wallet_id: string }).partner_wallet_id

/** Each requested account ends up open, once here and once at the bank. */
export function checkAccounts({ stored, accountsHeld }: World): Finding[] {
  return [
    ...stored.accounts.flatMap(({ account_id: id, status }) => [
      ...findingUnless(status === 'ACTIVE', `account ${id} ended ${status}`),
      ...exactly(`account ${id} at the bank`, accountsHeld.filter((reference) => reference === id).length, 1),
    ]),
    ...exactly('accounts at the bank', accountsHeld.length, stored.accounts.length),
  ]
}

/** Each booking exists once and equals the acknowledged one; none exists that was not requested; balances add up. */
export function checkBookings({ journal, stored }: World): Finding[] {
  return stored.wallets.flatMap(({ user_id: userId, balance }) => {
    const found = stored.bookings.filter(({ user_id }) => user_id === userId)
    const entries = journal.entries('booking', userId)
    const references = new Set(entries.map(({ name }) => name))
    const sum = found.reduce((sum, { type, amount }) => (type === 'CREDIT' ? sum + amount : sum - amount), 0)
    const reported = countEvents(stored, ['wallet.balance_changed'], { user: userId })
    return [
      ...entries.flatMap((entry) => checkBooking(entry, found)),
      ...found.flatMap(({ reference }) => findingUnless(references.has(reference), `nobody asked for ${reference}`)),
      ...findingUnless(sum === balance, `the balance of ${userId} is ${balance}, its bookings are ${sum}`),
      ...exactly(`events of bookings of ${userId}`, reported, found.length),
    ]
  })
}

function checkBooking(entry: Entry, bookings: World['stored']['bookings']): Finding[] {
  const found = bookings.filter(({ reference }) => reference === entry.name)
  const { id, amount, transaction_type } = (entry.said ?? {}) as Record<string, unknown>
  const isSame = found.every(
    (booking) => booking.transaction_id === id && booking.amount === amount && booking.type === transaction_type,
  )
  return [
    ...counted(`booking ${entry.name} of ${entry.of}`, [entry], found.length),
    ...findingUnless(!isAcknowledged(entry) || isSame, `booking ${entry.name} is another than was acknowledged`),
  ]
}

/** Each transition of a wallet or account is reported once. */
export function checkMoneyEvents({ stored }: World): Finding[] {
  const transitions = (id: string, to: string) =>
    stored.transitions.filter(({ entity_id, to_status }) => entity_id === id && to_status === to).length
  return [
    ...stored.wallets.flatMap(({ partner_wallet_id: id }) =>
      WALLET_STATUSES.flatMap((to) => {
        const reported = countEvents(stored, ['wallet.status_changed'], { subject: id, to })
        return exactly(`events of wallet ${id} to ${to}`, reported, transitions(id, to))
      }),
    ),
    ...stored.accounts.flatMap(({ account_id: id }) =>
      ['PENDING', 'ACTIVE'].flatMap((to) => {
        const reported = countEvents(stored, ['account.status_changed'], { subject: id, to })
        return exactly(`events of account ${id} to ${to}`, reported, transitions(id, to))
      }),
    ),
  ]
}
