import cluster from 'node:cluster'
import type { ProcessCount, ToChild, ToSupervisor } from './messages.ts'

/** The supervisor, as seen from a child process. */
export type Child = ReturnType<typeof createChild>

type Handlers = {
  calendar?: (offset_ms: number) => void
  metrics?: () => Promise<string>
  leave?: () => void
  /** The supervisor has exited. */
  orphaned?: () => void
}

/** Connects this process to its supervisor. */
export function createChild(name: string) {
  const { worker } = cluster
  if (!worker) throw new Error('only a supervisor starts this process')
  const handlers: Handlers = {}
  let count: ProcessCount = { ready: 0, all: 1 }
  let offset_ms = 0
  const send = (message: ToSupervisor) => void process.send?.(message, undefined, undefined, () => {})

  process.on('message', (message: ToChild) => {
    switch (message.kind) {
      case 'count':
        count = message
        return
      case 'calendar':
        offset_ms = message.offset_ms
        return handlers.calendar?.(offset_ms)
      case 'metrics':
        return void handlers
          .metrics?.()
          .then((page) => send({ kind: 'metrics', id: message.id, page }))
          .catch(() => {}) // the supervisor does not wait long
      case 'ping':
        return send({ kind: 'pong', id: message.id })
      case 'leave':
        return handlers.leave?.()
    }
    return message satisfies never
  })
  process.channel?.unref() // a process that fails to start exits by itself, as without a supervisor
  worker.once('disconnect', () => {
    worker.exitedAfterDisconnect = true // otherwise Node exits at once, with requests in progress
    handlers.orphaned?.()
  })

  return {
    name,
    count: () => count,
    /** Adds or replaces handlers. */
    on(more: Handlers): void {
      Object.assign(handlers, more)
      if (offset_ms !== 0) more.calendar?.(offset_ms)
    },
    /** Reports that this process is ready. */
    sendReady: () => send({ kind: 'ready' }),
  }
}
