import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'

/** Thrown without calling the company, because its last calls failed. Such a try costs nothing and does not count. */
export class CircuitOpenError extends Error {
  constructor(company: string) {
    super(`the circuit of ${company} is open after repeated failures`)
    this.name = 'CircuitOpenError'
  }
}

type Limits = { company: string; failuresInARow: number; open_ms: number }

/**
 * Stops calling a company after consecutive failures; after `open_ms`, a single call probes whether it has recovered.
 */
export function createCircuitBreaker({ company, failuresInARow, open_ms }: Limits) {
  const breaker = circuitBreaker(handleAll, {
    halfOpenAfter: open_ms,
    breaker: new ConsecutiveBreaker(failuresInARow),
  })
  // The library stays "open" until the next call, but callers check the state before they call.
  let isOpen = false
  breaker.onBreak(() => {
    isOpen = true
    setTimeout(() => (isOpen = false), open_ms).unref()
  })

  return {
    /** Returns true while calls would throw `CircuitOpenError`. */
    isCircuitOpen: (): boolean => isOpen,
    /** Returns true when `open_ms` have passed and no call has shown yet whether the company has recovered. */
    isHalfOpen: (): boolean => !isOpen && breaker.state !== CircuitState.Closed,

    /**
     * Runs a call; any error counts as a failure. Throws `CircuitOpenError` without calling while the circuit is open.
     */
    async run<T>(call: () => Promise<T>): Promise<T> {
      try {
        return await breaker.execute(call)
      } catch (error) {
        throw error instanceof BrokenCircuitError ? new CircuitOpenError(company) : error
      }
    },
  }
}
