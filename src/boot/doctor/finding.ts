import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../kernel/message-of.ts'
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

export const ok = (says: string): Finding => ({ state: 'ok', says })
export const skipped = (says: string): Finding => ({ state: 'skipped', says })
export const warning = (says: string, remedy: string): Finding => ({ state: 'warning', says, remedy })
export const failing = (says: string, remedy: string): Finding => ({ state: 'error', says, remedy })

/** Runs the checks at once, each within a limited time; their reports come in the order of the checks. */
export async function* runChecks(checks: readonly Check[], { limit_ms = CHECK_MS_MAX } = {}): AsyncGenerator<Report> {
  const running = checks.map(async ({ name, run }) => {
    const signal = AbortSignal.timeout(limit_ms)
    const late = sleep(limit_ms, undefined, { ref: false }).then(() => lateAfter(limit_ms))
    const found = run(signal).catch((error: unknown) => failed(error, signal, limit_ms))
    return [await Promise.race([found, late])].flat().map((finding) => ({ check: name, ...finding }))
  })
  for (const reports of running) yield* await reports
}

const lateAfter = (limit_ms: number): Finding =>
  failing(
    `There was no response within ${limit_ms / 1_000} s.`,
    'Check the address, the network and the firewall between here and there.',
  )

function failed(error: unknown, { aborted }: AbortSignal, limit_ms: number): Finding {
  if (aborted) return lateAfter(limit_ms)
  return failing(`The check failed: ${reasonOf(error)}.`, 'Remove the cause that is named, and run `doctor` again.')
}

/** Returns the innermost message of an error: that of a request is in its cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof ProblemError || error instanceof TypeError ? (error.cause ?? error) : error
  return cause instanceof Error ? messageOf(cause).replace(/\.$/, '') : String(cause)
}
