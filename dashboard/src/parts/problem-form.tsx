import { PreconditionFailedError } from '@banyan/client'
import { Alert, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { errorsBeside, fieldErrorsOf, InputError, textOf } from '../api/problem.ts'
import { useHold } from './dialog.tsx'
import type { Field } from './field.ts'
import { useSending } from './use-sending.ts'

export type { Field } from './field.ts'

export type Values = Readonly<Record<string, string>>

/** What stands now in a record that somebody else has changed since. */
type Conflict = {
  theirs: ReactNode
  /** False when what was wanted is not possible any more. */
  isPossible?: boolean
}

/**
 * A form whose errors stand alongside the fields they are about. Its input stays when sending fails, and when the session
 * ends before. Closing it drops what was not sent. When somebody else has changed the record (412), nothing is overwritten: the person chooses. `send` has
 * then read the record again, so that sending again replaces what `conflict` shows.
 */
export function ProblemForm({
  fields,
  initial = {},
  submit,
  send,
  cancel,
  columns,
  conflict,
  isDangerous = false,
  follows,
  remedy,
  children,
}: {
  fields: readonly Field[]
  initial?: Values
  /** The text of the button; it can name what was typed. */
  submit: string | ((values: Values) => string)
  send: (values: Values, signal: AbortSignal) => Promise<unknown>
  cancel?: () => void
  /** Fields side by side, where there is room. */
  columns?: 2
  conflict?: Conflict
  /** What is sent destroys or ends something. */
  isDangerous?: boolean | undefined
  /** What will follow from the values, while they are typed: above the button, and read with it. */
  follows?: (values: Values) => ReactNode
  /** What to do about an error, below what it says. */
  remedy?: (error: Error) => ReactNode
  children?: ReactNode
}) {
  const [values, setValues] = useState<Values>(initial)
  const { sending, error, start } = useSending()
  const isSending = sending !== undefined
  const followsId = useId()
  const errors = fieldErrorsOf(error)
  const label = typeof submit === 'string' ? submit : submit(values)
  const hasChanged = conflict !== undefined && error instanceof PreconditionFailedError
  const alongside = fields.map(({ pointer }) => pointer)
  const isAllBeside = error !== null && errorsBeside(error, alongside)
  const isTyped = fields.some(({ pointer }) => (values[pointer] ?? '') !== (initial[pointer] ?? ''))
  useHold(isTyped && !isSending ? 'What you have typed is not sent.' : undefined)

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    start(async (signal) => {
      const empty = fields.find(({ pointer, isRequired }) => isRequired === true && !typed(values, pointer))
      if (empty) throw new InputError(empty.pointer, 'Must not be empty.')
      await send(values, signal)
    })
  }

  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm">
        {children}
        <div className="fields" data-columns={columns}>
          {fields.map((field, index) => (
            <Input
              key={field.pointer}
              field={field}
              isFirst={index === 0}
              value={values[field.pointer] ?? ''}
              error={errors[field.pointer]}
              set={(value) => setValues((before) => ({ ...before, [field.pointer]: value }))}
            />
          ))}
        </div>
        {follows && (
          <div id={followsId} aria-live="polite" aria-atomic="true">
            {follows(values)}
          </div>
        )}
        {hasChanged && (
          <Changed {...conflict} mine={label} isDangerous={isDangerous} isSending={isSending} keep={cancel} />
        )}
        {error && !isAllBeside && !hasChanged && (
          <Alert color="red" variant="outline" role="alert" className="lines">
            {textOf(error, alongside)}
            {remedy?.(error)}
          </Alert>
        )}
        <Waiting sending={sending} />
        {!hasChanged && (
          <Group justify="flex-end" gap="xs">
            {cancel && (
              <Button variant="default" onClick={cancel}>
                Cancel
              </Button>
            )}
            <Button
              type="submit"
              loading={isSending}
              aria-describedby={follows && followsId}
              {...(isDangerous && DANGEROUS)}
            >
              {label}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

/** What is not sent yet, while there is no connection. */
export const Waiting = ({ sending }: { sending: 'waiting' | 'sent' | undefined }) =>
  sending === 'waiting' && (
    <Text size="sm" role="status">
      No connection. It is sent as soon as there is one, unless you close this.
    </Text>
  )

const DANGEROUS = { color: 'red', variant: 'outline' } as const

type InputSettings = {
  field: Field
  /** Has the focus when a dialog opens. */
  isFirst: boolean
  value: string
  error: string | undefined
  set: (value: string) => void
}

function Input({ field, isFirst, value, error, set }: InputSettings) {
  const { label, hint, isLong, isRequired = false, isDecimal, isTime, choices } = field
  const focus = isFirst && { 'data-autofocus': true }
  const about = { label, description: hint, withAsterisk: isRequired, value, error, ...focus }
  if (choices)
    return <NativeSelect {...about} data={[...choices]} onChange={({ currentTarget }) => set(currentTarget.value)} />
  const Line = isLong ? Textarea : TextInput
  return (
    <Line
      {...about}
      {...(isDecimal && { inputMode: 'decimal' })}
      {...(isTime && { type: 'datetime-local' })}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  )
}

/** Returns what was typed for a pointer; undefined when nothing was. */
export const typed = (values: Values, pointer: string): string | undefined => values[pointer]?.trim() || undefined

type ChangedSettings = Conflict & {
  mine: string
  isDangerous: boolean
  isSending: boolean
  keep: (() => void) | undefined
}

/** The choice between theirs and mine. */
function Changed({ theirs, isPossible = true, mine, isDangerous, isSending, keep }: ChangedSettings) {
  return (
    <Alert color="yellow" variant="outline" role="alert" title="Somebody else has changed this since">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">Nothing of yours was sent. It is now:</Text>
        <Text size="sm" component="div">
          {theirs}
        </Text>
        {!isPossible && <Text size="sm">What you wanted is not possible any more.</Text>}
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={keep}>
            Keep theirs
          </Button>
          {isPossible && (
            <Button size="xs" type="submit" loading={isSending} {...(isDangerous && DANGEROUS)}>
              {mine} all the same
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}
