import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const RESTART_MS = 200
const READY_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 10_000
const POLL_MS = 50

/** A program that runs as its own process. */
export type Program = {
  name: string
  command: string
  args: string[]
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number }
  /** The file to which its output is appended. */
  log: string
  isReady: () => Promise<boolean>
  stopSignal?: NodeJS.Signals
}

/** A program that is restarted whenever it ends, as by a supervisor in production. */
export type Supervised = {
  name: string
  /** Resolves when the current process is ready. */
  whenReady(): Promise<void>
  kill(): Promise<void>
  freeze(): Promise<void>
  thaw(): void
  /** The total time it has been frozen. */
  frozen_ms(): number
  /** How often it ended without being killed. */
  ownEnds(): { starting: number; running: number }
  /** Resolves to its exit code; null where a signal ended it. */
  stop(): Promise<number | null>
}

type Life = { child: ChildProcess; ended: Promise<number | null>; isOver: boolean; isReady: boolean; isKilled: boolean }

const living = new Set<ChildProcess>()
// However this program ends, no process remains; SIGKILL ends frozen ones too.
process.once('exit', () => living.forEach((child) => child.kill('SIGKILL')))

export function supervise(program: Program): Supervised {
  const ownEnds = { starting: 0, running: 0 }
  const frozen = { since: 0, total_ms: 0 } // since 0: it is not frozen
  let isWanted = true
  let life = live()

  const sinceFrozen = () => (frozen.since === 0 ? 0 : performance.now() - frozen.since)

  function live(): Life {
    const child = launch(program)
    const begun: Life = { child, ended: endOf(child), isOver: false, isReady: false, isKilled: false }
    void follow(begun)
    return begun
  }

  async function follow(begun: Life): Promise<void> {
    void untilReady(begun, program.isReady)
    await begun.ended
    begun.isOver = true
    if (isWanted && !begun.isKilled) ownEnds[begun.isReady ? 'running' : 'starting']++
    await sleep(RESTART_MS)
    if (isWanted) life = live()
  }

  return {
    name: program.name,
    async whenReady() {
      const deadline = performance.now() + READY_TIMEOUT_MS
      while (!life.isReady || life.isOver) {
        if (performance.now() > deadline) throw new Error(`${program.name} is not ready; its log is ${program.log}`)
        await sleep(POLL_MS)
      }
    },
    async kill() {
      life.isKilled = true
      life.child.kill('SIGKILL')
      await life.ended
    },
    async freeze() {
      life.child.kill('SIGSTOP')
      frozen.since = performance.now()
    },
    thaw() {
      life.child.kill('SIGCONT')
      frozen.total_ms += sinceFrozen()
      frozen.since = 0
    },
    frozen_ms: () => frozen.total_ms + sinceFrozen(),
    ownEnds: () => ownEnds,
    async stop() {
      isWanted = false
      life.child.kill('SIGCONT')
      life.child.kill(program.stopSignal ?? 'SIGTERM')
      const inTime = await Promise.race([life.ended, sleep(STOP_TIMEOUT_MS, 'late', { ref: false })])
      if (inTime === 'late') life.child.kill('SIGKILL')
      return life.ended
    },
  }
}

/** In a process group of its own, so that Ctrl-C reaches only this program, which then stops the others in order. */
function launch({ command, args, options, log }: Program): ChildProcess {
  const output = openSync(log, 'a')
  const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', output, output] })
  closeSync(output)
  living.add(child)
  return child
}

async function endOf(child: ChildProcess): Promise<number | null> {
  await once(child, 'exit').catch(() => {}) // it could not be started
  living.delete(child)
  return child.exitCode
}

async function untilReady(life: Life, isReady: () => Promise<boolean>): Promise<void> {
  while (!life.isOver && !life.isReady) {
    await sleep(POLL_MS)
    life.isReady = await isReady().catch(() => false)
  }
}
