import cluster from 'node:cluster'
import type { ToChild, ToSupervisor } from './messages.ts'

/** What a process that a supervisor started has of it. */
export type Child = {
  readonly name: string
  /** How many of the processes of the API do their work, as far as it is known here. */
  counted(): { ready: number; all: number }
  follow(handlers: Handlers): void
  /** Says that it does its work from now on. */
  tellReady(): void
}

type Handlers = {
  calendar?: (offset_ms: number) => void
  metrics?: () => Promise<string>
  leave?: () => void
  /** The supervisor is gone. */
  orphaned?: () => void
}

/** Listens to the supervisor of this process. */
export function openChild(name: string): Child {
  const { worker } = cluster
  if (!worker) throw new Error('only a supervisor starts this process')
  const handlers: Handlers = {}
  let counted = { ready: 0, all: 1 }
  let offset_ms = 0
  const tell = (message: ToSupervisor) => void process.send?.(message, undefined, undefined, () => {})

  process.on('message', (message: ToChild) => {
    switch (message.kind) {
      case 'counted':
        counted = message
        return
      case 'calendar':
        offset_ms = message.offset_ms
        return handlers.calendar?.(offset_ms)
      case 'metrics':
        return void handlers
          .metrics?.()
          .then((page) => tell({ kind: 'metrics', question: message.question, page }))
          .catch(() => {}) // the supervisor does not wait for long
      case 'leave':
        return handlers.leave?.()
    }
    return message satisfies never
  })
  process.channel?.unref() // what cannot start ends by itself, as it does without a supervisor
  worker.once('disconnect', () => {
    worker.exitedAfterDisconnect = true // or Node would end this process at once, with what is under way
    handlers.orphaned?.()
  })

  return {
    name,
    counted: () => counted,
    follow: (more) => {
      Object.assign(handlers, more)
      if (more.calendar && offset_ms !== 0) more.calendar(offset_ms)
    },
    tellReady: () => tell({ kind: 'ready' }),
  }
}
