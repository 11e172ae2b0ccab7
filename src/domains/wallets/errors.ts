/** The operator was not called at all, because it has been failing; a try that costs nothing and does not count. */
export class CircuitOpenError extends Error {
  constructor() {
    super('the operator is not called for a while, because its last calls failed')
    this.name = 'OperatorRests'
  }
}
