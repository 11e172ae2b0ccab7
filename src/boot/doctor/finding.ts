import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { safeMessage } from '../../kernel/safe-message.ts'
import { ProblemError } from '../../kernel/problem-error.ts'

/**
 * What a check found, in a sentence; `remedy` says what to do. `skipped`: it could not be checked, because something that it
 * needs is missing.
 */
export type Finding = { state: 'ok' | 'warning' | 'error' | 'skipped'; says: string; remedy?: string }

export type Check = { name: string; run: (signal: AbortSignal) => Promise<Finding | Finding[]> }

/** A finding with the name of its check. */
export type Report = Finding & { check: string }

const CHECK_MS_MAX = 5_000
/** A process that has nothing to do is that late only where it gets no CPU time. */
const BUSY_MS = 500
const NS_PER_MS = 1e6

export const ok = (says: string): Finding => ({ state: 'ok', says })
export const skipped = (says: string): Finding => ({ state: 'skipped', says })
export const warning = (says: string, remedy: string): Finding => ({ state: 'warning', says, remedy })
export const failing = (says: string, remedy: string): Finding => ({ state: 'error', says, remedy })

/**
 * Runs the checks one after the other, each within a limited time: what one loads would make another one late. Those that are late
 * because this process gets no CPU time, also when they are repeated, say nothing about what they look at: one warning names them.
 */
export async function* runChecks(
  checks: readonly Check[],
  { limit_ms = CHECK_MS_MAX, delay = measuredDelay() }: { limit_ms?: number; delay?: Delay } = {},
): AsyncGenerator<Report> {
  const overtaken: string[] = []
  for (const check of checks) {
    const isOvertaken = (findings: Finding[]) => findings.some(isLate) && delay.longest_ms() > BUSY_MS
    const runOnce = () => {
      delay.reset()
      return runCheck(check, limit_ms)
    }
    const first = await runOnce()
    const findings = isOvertaken(first) ? await runOnce() : first
    if (isOvertaken(findings)) overtaken.push(check.name)
    else yield* findings.map((finding) => ({ check: check.name, ...finding }))
  }
  delay.end()
  if (overtaken.length > 0)
    yield {
      check: 'machine',
      ...warning(
        `This machine is too busy: ${overtaken.join(', ')} could not be checked in time.`,
        'Run `doctor` again when the load is lower (`uptime`), or on another machine with the same settings.',
      ),
    }
}

/** The longest time that this process could not run what was due, since the last reset. */
type Delay = { reset(): void; longest_ms(): number; end(): void }

function measuredDelay(): Delay {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  return { reset: () => delay.reset(), longest_ms: () => delay.max / NS_PER_MS, end: () => void delay.disable() }
}

/** Whether a finding is that something took too long. */
const isLate = ({ state, says }: Finding): boolean =>
  state === 'error' && /time-?out|timed out|no response within/i.test(says)

async function runCheck({ run }: Check, limit_ms: number): Promise<Finding[]> {
  const signal = AbortSignal.timeout(limit_ms)
  const late = sleep(limit_ms, undefined, { ref: false }).then(() => lateAfter(limit_ms))
  const pending = run(signal).catch((error: unknown) => failed(error, signal, limit_ms))
  return [await Promise.race([pending, late])].flat()
}

const lateAfter = (limit_ms: number): Finding =>
  failing(
    `There was no response within ${limit_ms / 1_000} s.`,
    'Check the address, the network and the firewall between here and there.',
  )

function failed(error: unknown, { aborted }: AbortSignal, limit_ms: number): Finding {
  if (aborted) return lateAfter(limit_ms)
  return failing(
    `The check failed: ${describeReason(error)}.`,
    'Remove the cause that is named, and run `doctor` again.',
  )
}

/** Returns the innermost message of an error: that of a request is in its cause. */
export function describeReason(error: unknown): string {
  const cause = error instanceof ProblemError || error instanceof TypeError ? (error.cause ?? error) : error
  return cause instanceof Error ? safeMessage(cause).replace(/\.$/, '') : String(cause)
}
