/** An expected failure to start or keep running. The message explains to the operator how to fix it. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** A wrong setting, argument or input file of a command. The message says how to fix it. */
export class UsageError extends Error {}
