import { Alert, Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { fieldErrorsOf, textOf } from '../api/problem.ts'

type Values = Readonly<Record<string, string>>

export type Field = {
  /** The JSON pointer of the member, which the service’s errors name: `/reason`. */
  pointer: string
  label: string
  hint?: string
  isLong?: boolean
  isRequired?: boolean
}

/**
 * A form whose errors stand beside the fields they are about. Its input stays when sending fails, and when the session
 * ends meanwhile.
 */
export function ProblemForm({
  fields,
  initial = {},
  submit,
  send,
  cancel,
  children,
}: {
  fields: readonly Field[]
  initial?: Values
  /** The text of the button. */
  submit: string
  send: (values: Values) => Promise<unknown>
  cancel?: () => void
  children?: ReactNode
}) {
  const [values, setValues] = useState<Values>(initial)
  const [error, setError] = useState<Error | null>(null)
  const [isSending, setSending] = useState(false)
  const errors = fieldErrorsOf(error)
  const isBesideField = Object.keys(errors).some((pointer) => fields.some((field) => field.pointer === pointer))

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setSending(true)
    setError(null)
    await send(values).catch((problem: Error) => setError(problem))
    setSending(false)
  }

  return (
    <form onSubmit={(event) => void onSubmit(event)} noValidate>
      <Stack gap="sm">
        {children}
        {fields.map(({ pointer, label, hint, isLong, isRequired }) => {
          const Input = isLong ? Textarea : TextInput
          return (
            <Input
              key={pointer}
              label={label}
              description={hint}
              withAsterisk={isRequired ?? false}
              value={values[pointer] ?? ''}
              error={errors[pointer]}
              onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [pointer]: value }))}
            />
          )
        })}
        {error && !isBesideField && (
          <Alert color="red" variant="outline" role="alert">
            {textOf(error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          {cancel && (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={isSending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Returns what was typed for a pointer; undefined when nothing was. */
export const typed = (values: Values, pointer: string): string | undefined => values[pointer]?.trim() || undefined
