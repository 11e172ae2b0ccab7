import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { compiledCode } from '../compiled-code.ts'
import { currentCaller } from '../current-caller.ts'
import { unavailable } from '../problem-error.ts'
import { createFairQueue } from './fair-queue.ts'

export type Engine<Task, Outcome> = {
  /**
   * Runs a task when its caller is next. Throws 503 `unavailable` when the queue is full, on timeout, when the process dies, or
   * when `signal` is aborted because the caller has left.
   */
  run(task: Task, signal?: AbortSignal): Promise<Outcome>
  /** Rejects queued tasks and ends the process. */
  stop(): Promise<void>
}

export type Limits = { waitingMax: number; waitingLimit_ms: number; timeLimit_ms: number }

type Settings<Outcome> = Limits & {
  /** The module of the process, which responds to each message with one message. */
  module: string
  args?: string[]
  /** Returns the outcome of the current task when the process ends; undefined rejects it with 503. */
  outcomeOfEnd?: (signal: NodeJS.Signals | null) => Outcome | undefined
}

type QueuedTask<Task, Outcome> = { task: Task; resolve: (outcome: Outcome) => void; reject: (error: Error) => void }

/**
 * Runs tasks one at a time in a separate process. It starts at the first use, has none of our secrets, and is replaced
 * when it ends.
 */
export function createEngine<Task extends object, Outcome>({
  module,
  args = [],
  outcomeOfEnd,
  waitingMax,
  waitingLimit_ms,
  timeLimit_ms,
}: Settings<Outcome>): Engine<Task, Outcome> {
  const waiting = createFairQueue<QueuedTask<Task, Outcome>>(waitingMax)
  let current: { queued: QueuedTask<Task, Outcome>; timer: NodeJS.Timeout } | null = null
  let engine: ChildProcess | null = null
  let isStopped = false

  function startNext(): void {
    const queued = current ? undefined : waiting.shift()
    if (!queued) return
    engine ??= startEngine()
    holdEngine(engine) // an idle engine must not keep this process alive
    const timer = setTimeout(() => loseEngine(new Error('a document takes too long')), timeLimit_ms)
    current = { queued, timer }
    engine.send(queued.task, (error) => error && loseEngine(error))
  }

  function startEngine(): ChildProcess {
    const started = fork(module, args, {
      serialization: 'advanced',
      execArgv: [],
      env: compiledCode(), // none of our secrets
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // its messages can quote names
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

  /** Rejects the current task, unless the process end is its outcome; queued tasks get a new engine. */
  function loseEngine(cause: Error, outcome?: Outcome): void {
    const queued = finishCurrent()
    engine?.kill('SIGKILL')
    engine = null
    if (outcome === undefined) queued?.reject(unavailable(cause))
    else queued?.resolve(outcome)
    startNext()
  }

  function finishCurrent(): QueuedTask<Task, Outcome> | undefined {
    clearTimeout(current?.timer)
    const queued = current?.queued
    current = null
    if (engine) releaseEngine(engine)
    return queued
  }

  return {
    run: (task, signal) =>
      new Promise((resolve, reject) => {
        if (isStopped) return reject(unavailable(new Error('the engine for documents has stopped')))
        const caller = currentCaller() ?? ''
        const queued = { task, resolve, reject }
        waiting.push(caller, queued)?.reject(unavailable(new Error('too many documents wait')))
        const giveUp = AbortSignal.any([AbortSignal.timeout(waitingLimit_ms), ...(signal ? [signal] : [])])
        giveUp.addEventListener('abort', () => {
          if (!waiting.remove(caller, queued)) return // started already
          reject(unavailable(new Error('a document waited too long, or nobody waits for it any more')))
        })
        startNext()
      }),
    stop: async () => {
      isStopped = true
      const cause = new Error('the engine for documents stops')
      for (const { reject } of waiting.clear()) reject(unavailable(cause))
      const last = engine
      loseEngine(cause)
      last?.ref()
      if (last?.exitCode === null && last.signalCode === null) await once(last, 'exit')
    },
  }
}

function holdEngine(engine: ChildProcess): void {
  engine.ref()
  engine.channel?.ref()
}

function releaseEngine(engine: ChildProcess): void {
  engine.unref()
  engine.channel?.unref()
}
