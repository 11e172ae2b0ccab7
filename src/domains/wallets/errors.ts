/** The operator was not called because its circuit is open. Does not count as a try. */
export class CircuitOpenError extends Error {
  constructor() {
    super('circuit open: the last calls to the wallet operator failed')
    this.name = 'CircuitOpenError'
  }
}
