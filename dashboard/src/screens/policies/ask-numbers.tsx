import { Button } from '@mantine/core'
import { useState } from 'react'
import { InputError } from '../../api/problem.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { type Field, ProblemForm } from '../../parts/problem-form.tsx'
import { amountText, countText } from '../../parts/texts.ts'
import { NUMBERS_MAX, numbersIn } from './numbers.ts'

const FIELD: Field = {
  pointer: '/numbers',
  label: 'Policy numbers',
  hint: `A column of a spreadsheet, one a line: what card and certificate print, the insurer’s number or the id; ${NUMBERS_MAX} at most`,
  isLong: true,
  isRequired: true,
}

/** Takes the policy numbers that somebody else has listed, such as those that were paid. */
export function AskNumbers({ take }: { take: (numbers: readonly string[]) => void }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const send = async (pasted: string) => {
    const numbers = numbersIn(pasted)
    if (numbers.length > NUMBERS_MAX)
      throw new InputError(FIELD.pointer, `These are ${countText(numbers.length)}: paste ${NUMBERS_MAX} at most.`)
    close()
    take(numbers)
  }
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Paste numbers…
      </Button>
      <Dialog opened={isOpen} close={close} title="Policies of a list" size="lg">
        <ProblemForm
          fields={[FIELD]}
          submit={(values) => `Find ${amountText(numbersIn(values[FIELD.pointer] ?? '').length, 'policy number')}`}
          send={(values) => send(values[FIELD.pointer] ?? '')}
          cancel={close}
        />
      </Dialog>
    </>
  )
}
