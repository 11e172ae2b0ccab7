import { Button, Group, Textarea } from '@mantine/core'
import { getHotkeyHandler } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { type ConsultationRef, writeMessage } from '../../api/consultations.ts'
import { fieldErrorsOf, textOf } from '../../api/problem.ts'

/** What was typed and not sent, by consultation: it is there again after a look at another screen. Only in memory. */
const drafts = new Map<string, string>()

export const sendingKey = ({ id }: ConsultationRef) => ['write message', id]

/** Where a reply is written. The text stays until the service has it. */
export function Composer({ at, isClosed }: { at: ConsultationRef; isClosed: boolean }) {
  const [text, setText] = useState(() => drafts.get(at.id) ?? '')
  const field = useRef<HTMLTextAreaElement>(null)
  const queries = useQueryClient()
  const change = (next: string) => {
    setText(next)
    drafts.set(at.id, next)
  }
  const write = useMutation({
    mutationKey: sendingKey(at),
    mutationFn: (content: string) => writeMessage(at, content),
    onMutate: () => change(''),
    onError: (_error, content) => change(content),
    // Awaited, so that the message does not vanish between being sent and being read.
    onSuccess: () => queries.invalidateQueries({ queryKey: ['consultation', at.id] }),
  })
  const send = () => {
    if (text.trim() === '' || write.isPending) return
    write.mutate(text)
    // For the next one: the button cannot be pressed while nothing is typed.
    field.current?.focus()
  }
  const problem = write.error && (fieldErrorsOf(write.error)['/body/content'] ?? textOf(write.error))

  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        send()
      }}
    >
      <Textarea
        ref={field}
        label="Reply"
        description={
          isClosed ? 'The consultation is closed. A new one has to be opened to write.' : 'Ctrl + Enter sends it.'
        }
        data-search
        autosize
        minRows={2}
        maxRows={10}
        mt="sm"
        disabled={isClosed}
        value={text}
        error={problem}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        onKeyDown={getHotkeyHandler([['mod+Enter', send]])}
      />
      <Group justify="flex-end" mt="xs">
        <Button type="submit" size="xs" disabled={isClosed || text.trim() === ''} loading={write.isPending}>
          Send
        </Button>
      </Group>
    </form>
  )
}
