import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { unavailable } from '../problem-error.ts'

export type Engine<Task, Outcome> = {
  /**
   * Runs a task when its turn comes. Throws 503 `unavailable` when too many wait, it takes too long, the process dies, or
   * `signal` says that nobody waits for it any more.
   */
  run(task: Task, signal?: AbortSignal): Promise<Outcome>
  /** Refuses what waits and ends the process. */
  stop(): Promise<void>
}

export type Limits = { waitingMax: number; waitingLimit_ms: number; timeLimit_ms: number }

type Settings<Outcome> = Limits & {
  /** The file that runs in the process: it answers each message with one. */
  module: string
  args?: string[]
  /** What it means for the task under way that the process has ended; a refusal with 503 when undefined. */
  outcomeOfEnd?: (signal: NodeJS.Signals | null) => Outcome | undefined
}

type QueuedTask<Task, Outcome> = { task: Task; resolve: (outcome: Outcome) => void; reject: (error: Error) => void }

/**
 * Does tasks one after the other in a process of its own, which starts at the first use, knows no secret of ours and is
 * replaced when it ends.
 */
export function openEngine<Task extends object, Outcome>({
  module,
  args = [],
  outcomeOfEnd,
  waitingMax,
  waitingLimit_ms,
  timeLimit_ms,
}: Settings<Outcome>): Engine<Task, Outcome> {
  const waiting: QueuedTask<Task, Outcome>[] = []
  let current: { order: QueuedTask<Task, Outcome>; timer: NodeJS.Timeout } | null = null
  let engine: ChildProcess | null = null
  let isStopped = false

  function startNext(): void {
    const order = current ? undefined : waiting.shift()
    if (!order) return
    engine ??= startEngine()
    hold(engine) // somebody waits for it now; an idle engine does not keep this process alive
    const timer = setTimeout(() => loseEngine(new Error('a document takes too long')), timeLimit_ms)
    current = { order, timer }
    engine.send(order.task, (error) => error && loseEngine(error))
  }

  function startEngine(): ChildProcess {
    const started = fork(module, args, {
      serialization: 'advanced',
      execArgv: [],
      env: {}, // no secret of ours is in it
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // what it says when it aborts can quote a name
    })
    const lose = (cause: Error, outcome?: Outcome) => {
      if (engine === started) loseEngine(cause, outcome)
    }
    started.on('message', (outcome: Outcome) => {
      if (engine !== started) return
      finishCurrent()?.resolve(outcome)
      startNext()
    })
    started.on('error', lose)
    started.on('exit', (code, signal) => {
      lose(new Error(`the engine for documents ended: ${signal ?? code}`), outcomeOfEnd?.(signal))
    })
    return started
  }

  /** What is under way is refused, unless the end itself is its outcome; those who wait get a new engine. */
  function loseEngine(cause: Error, outcome?: Outcome): void {
    const order = finishCurrent()
    engine?.kill('SIGKILL')
    engine = null
    if (outcome === undefined) order?.reject(unavailable(cause))
    else order?.resolve(outcome)
    startNext()
  }

  function finishCurrent(): QueuedTask<Task, Outcome> | undefined {
    clearTimeout(current?.timer)
    const order = current?.order
    current = null
    if (engine) letGo(engine)
    return order
  }

  return {
    run: (task, left) =>
      new Promise((resolve, reject) => {
        if (isStopped) return reject(unavailable(new Error('the engine for documents has stopped')))
        if (waiting.length >= waitingMax) return reject(unavailable(new Error('too many documents wait')))
        const order = { task, resolve, reject }
        waiting.push(order)
        const giveUp = AbortSignal.any([AbortSignal.timeout(waitingLimit_ms), ...(left ? [left] : [])])
        giveUp.addEventListener('abort', () => {
          const place = waiting.indexOf(order)
          if (place === -1) return // it is under way, or was
          waiting.splice(place, 1)
          reject(unavailable(new Error('a document waited too long, or nobody waits for it any more')))
        })
        startNext()
      }),
    stop: async () => {
      isStopped = true
      const cause = new Error('the engine for documents stops')
      for (const { reject } of waiting.splice(0)) reject(unavailable(cause))
      const last = engine
      loseEngine(cause)
      last?.ref()
      if (last?.exitCode === null && last.signalCode === null) await once(last, 'exit')
    },
  }
}

function hold(engine: ChildProcess): void {
  engine.ref()
  engine.channel?.ref()
}

function letGo(engine: ChildProcess): void {
  engine.unref()
  engine.channel?.unref()
}
