/** An expected failure to start or keep running. The message explains to the operator how to fix it. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
