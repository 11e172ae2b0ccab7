import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'

/** The company was not called at all, because its last calls failed; a try that costs nothing and does not count. */
export class CircuitOpenError extends Error {
  constructor(company: string) {
    super(`the circuit of ${company} is open after repeated failures`)
    this.name = 'CircuitOpenError'
  }
}

type Limits = { company: string; failuresInARow: number; open_ms: number }

/** Stops calling a company after so many failures in a row; after `open_ms` one call tries whether it is back. */
export function openCircuitBreaker({ company, failuresInARow, open_ms }: Limits) {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: open_ms,
    breaker: new ConsecutiveBreaker(failuresInARow),
  })
  // The library itself says "open" until somebody calls, and nobody calls while it says so.
  let isOpen = false
  breaker.onBreak(() => {
    isOpen = true
    setTimeout(() => (isOpen = false), open_ms).unref()
  })

  return {
    /** True while calls would throw `CircuitOpenError`. */
    isCircuitOpen: (): boolean => isOpen,
    /** True when `open_ms` are over and no call has shown yet whether the company is back. */
    isHalfOpen: (): boolean => !isOpen && breaker.state !== CircuitState.Closed,

    /** Runs a call; what it throws counts as a failure. Throws `CircuitOpenError` without running it while the circuit is open. */
    async run<T>(call: () => Promise<T>): Promise<T> {
      try {
        return await breaker.execute(call)
      } catch (error) {
        throw error instanceof BrokenCircuitError ? new CircuitOpenError(company) : error
      }
    },
  }
}
