import type { Money } from '@banyan/client'
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type DepositRef, depositsQuery, LevelChangedError, setLowBelow } from '../../api/deposits.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notices.tsx'
import { type Field, ProblemForm, typed } from '../../parts/problem-form.tsx'
import { readAmountAboveZero } from '../../parts/rupee-amount.ts'

const AMOUNT: Field = { pointer: '/amount', label: 'Low below, in ₹', hint: 'Such as 1,00,000', isDecimal: true }

type Settings = { at: DepositRef; level: Money | null }
type Choice = {
  what: 'set' | 'clear'
  /** The level that it is decided upon. */
  seen: Money | null
}

/** The level below which a deposit is low: sets, changes and clears it. */
export function LowBelow({ at, level }: Settings) {
  const { role } = useSession()
  const queries = useQueryClient()
  const [choice, setChoice] = useState<Choice>()
  if (!may(role, 'setDepositLowBelow')) return null
  const close = () => setChoice(undefined)
  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    if (!choice) return
    const amount = choice.what === 'clear' ? null : readAmountAboveZero(typed(values, '/amount'), '/amount')
    try {
      await setLowBelow(at, { seen: choice.seen, amount }, signal)
    } catch (error) {
      // Who goes on decides upon what stands there now.
      if (error instanceof LevelChangedError) setChoice({ ...choice, seen: error.now })
      throw error
    } finally {
      await queries.invalidateQueries({ queryKey: depositsQuery(at.sponsorId).queryKey })
    }
    notify(amount === null ? 'The deposit has no low level any more.' : `The deposit is low below ${amount.format()}.`)
    close()
  }
  const label = level === null ? 'Set a low level' : 'Change the low level'
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setChoice({ what: 'set', seen: level })}>
        {label}
      </Button>
      {level && (
        <Button size="xs" variant="default" onClick={() => setChoice({ what: 'clear', seen: level })}>
          Clear the low level
        </Button>
      )}
      <Dialog
        opened={choice !== undefined}
        close={close}
        title={choice?.what === 'clear' ? 'Clear the low level' : label}
      >
        {choice && (
          <ProblemForm
            fields={choice.what === 'clear' ? [] : [{ ...AMOUNT, isRequired: true }]}
            initial={choice.what === 'clear' ? {} : { '/amount': choice.seen?.rupees ?? '' }}
            submit={choice.what === 'clear' ? 'Clear' : 'Set'}
            send={send}
            cancel={close}
          >
            <Text size="sm">
              {choice.what === 'clear'
                ? 'Nobody is notified any more when the deposit runs low. Nothing else changes.'
                : 'Each time the balance falls below this, the sponsor’s partner and the benefit provider are notified once, by the event deposit.low. It stops nothing.'}
            </Text>
          </ProblemForm>
        )}
      </Dialog>
    </>
  )
}
