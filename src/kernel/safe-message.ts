/**
 * Returns the message of an error. When a host has several addresses and none responds, Node throws an error without a
 * message, made of one for each.
 */
export const safeMessage = (error: Error): string =>
  error instanceof AggregateError && error.message === ''
    ? error.errors.map((one: unknown) => (one instanceof Error ? one.message : '')).join(', ')
    : error.message
