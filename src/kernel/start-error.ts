/** What keeps the program from starting or running, foreseen: the message is for the operator and says how to mend it. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
