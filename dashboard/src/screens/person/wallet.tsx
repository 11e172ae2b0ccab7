import { NotFoundError, type WalletWithLimits as Wallet } from '@banyan/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { walletQuery } from '../../api/people.ts'
import { may, type Right } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Id } from '../../parts/id.tsx'
import { Money } from '../../parts/money.tsx'
import { notify, notifyError } from '../../parts/notices.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { type Transition, TransitionButtons } from '../../parts/transition-buttons.tsx'
import { Booking, type BookingType } from './booking.tsx'
import { Ledger } from './ledger.tsx'
import { Day } from '../../parts/when.tsx'
import { type Looker, Sealed } from './sealed.tsx'

/** The wallet itself says nothing about the person; what it was used for does. */
export function WalletTab(looker: Looker) {
  const query = useQuery(walletQuery(looker.id))
  if (query.error instanceof NotFoundError)
    return (
      <Empty title="No wallet">It is made when the person first signs in to the wallet with a one-time code.</Empty>
    )
  return (
    <Loaded query={query}>
      {(wallet) => (
        <>
          <Section title="Wallet" aside={<Actions wallet={wallet} />}>
            <Facts
              facts={[
                ['Balance', <Money amount={wallet.balance} />],
                ['State', <StateBadge state={wallet.wallet_status} />],
                ['At the operator', <StateBadge state={wallet.wallet_status_partner} />],
                ['Id', <Id id={wallet.partner_wallet_id} />],
              ]}
            />
          </Section>
          {wallet.limits && <Limits limits={wallet.limits} />}
          <Section title="Ledger">
            <Sealed looker={looker} what="ledger">
              {(purpose) => <Ledger id={looker.id} purpose={purpose} />}
            </Sealed>
          </Section>
        </>
      )}
    </Loaded>
  )
}

type Limit = NonNullable<Wallet['limits']>[number]

const LIMIT_WORDS: Readonly<Record<string, string>> = {
  balance: 'Balance',
  credits_a_month: 'Credits of this month',
  credits_a_year: 'Credits of this financial year',
  debits_a_month: 'Debits of this month',
  debits_a_year: 'Debits of this financial year',
}

/** What the platform's limits leave today, and when each count begins again. */
function Limits({ limits }: { limits: readonly Limit[] }) {
  return (
    <Section title="Limits">
      <Facts
        facts={limits.map(({ limit, amount, left, free_on }) => [
          LIMIT_WORDS[limit] ?? limit,
          <>
            <Money amount={left} /> of <Money amount={amount} /> left
            {free_on && (
              <>
                , counted again from <Day day={free_on} />
              </>
            )}
          </>,
        ])}
      />
    </Section>
  )
}

type Action = Transition & { right: Right; whyNot: (wallet: Wallet) => string | undefined }

const NOT_MADE = 'The operator has not made the wallet yet.'

const ACTIONS: readonly Action[] = [
  {
    to: 'RETRY',
    label: 'Retry',
    effect: 'The operator is asked again for this wallet, under the same id.',
    right: 'retryWallet',
    whyNot: ({ wallet_status }) => (wallet_status === 'FAILED' ? undefined : 'Only a failed wallet is retried.'),
  },
  {
    to: 'CREDIT',
    label: 'Credit…',
    effect: 'Adds money to the wallet.',
    isExceptional: true,
    right: 'creditWallet',
    whyNot: ({ wallet_status }) => (wallet_status === 'COMPLETED' ? undefined : NOT_MADE),
  },
  {
    to: 'DEBIT',
    label: 'Debit…',
    effect: 'Takes money from the wallet.',
    isExceptional: true,
    right: 'debitWallet',
    whyNot: ({ wallet_status, wallet_status_partner, balance }) => {
      if (wallet_status !== 'COMPLETED') return NOT_MADE
      if (wallet_status_partner === 'BLOCKED') return 'The operator has blocked it. It takes credits, but no debits.'
      return balance.paise === 0 ? 'It is empty.' : undefined
    },
  },
]

function Actions({ wallet }: { wallet: Wallet }) {
  const { user_id: id } = wallet
  const { role } = useSession()
  const queries = useQueryClient()
  const [booking, setBooking] = useState<BookingType>()
  const actions = ACTIONS.filter(({ right }) => may(role, right))
  const close = () => setBooking(undefined)
  const begin = (type: BookingType) => {
    setBooking(type)
    // The balance after it is shown before it is booked, so the one now should be right.
    void queries.invalidateQueries({ queryKey: walletQuery(id).queryKey })
  }
  const retry = useMutation({
    mutationFn: () => banyan.user(id).wallet.retry(),
    onSuccess: async (retried) => {
      queries.setQueryData(walletQuery(id).queryKey, retried)
      notify('The operator is asked again.')
      await queries.invalidateQueries({ queryKey: ['wallets'] })
    },
    onError: notifyError,
  })
  if (actions.length === 0) return null
  return (
    <>
      <TransitionButtons
        transitions={actions}
        allowed={actions.filter(({ whyNot }) => whyNot(wallet) === undefined).map(({ to }) => to)}
        whyNot={(action) => action.whyNot(wallet)}
        choose={({ to }) => (to === 'RETRY' ? retry.mutate() : begin(to as BookingType))}
        isBusy={retry.isPending}
      />
      <Dialog opened={booking !== undefined} close={close} title={booking === 'CREDIT' ? 'Credit' : 'Debit'}>
        {booking && <Booking wallet={wallet} type={booking} close={close} />}
      </Dialog>
    </>
  )
}
