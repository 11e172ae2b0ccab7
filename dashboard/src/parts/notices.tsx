import { CloseButton, Group, Paper, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { textOf } from '../api/problem.ts'

type Notice = { id: number; text: string; isError: boolean }

const SHOWN_MS = 6_000

let notices: readonly Notice[] = []
let lastId = 0
const listeners = new Set<() => void>()

function set(next: readonly Notice[]): void {
  notices = next
  for (const listener of listeners) listener()
}

const remove = (id: number) => set(notices.filter((notice) => notice.id !== id))

/** Says that something was done. */
export function notify(text: string): void {
  const id = ++lastId
  set([...notices, { id, text, isError: false }])
  setTimeout(() => remove(id), SHOWN_MS)
}

/** Says that something was not done; stays until it is closed. */
export function notifyError(error: Error): void {
  set([...notices, { id: ++lastId, text: textOf(error), isError: true }])
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices)
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, text, isError }) => (
        <Paper key={id} withBorder shadow="md" p="xs" data-error={isError || undefined}>
          <Group wrap="nowrap" justify="space-between">
            <Text size="sm">{text}</Text>
            <CloseButton aria-label="Close" onClick={() => remove(id)} />
          </Group>
        </Paper>
      ))}
    </div>
  )
}
