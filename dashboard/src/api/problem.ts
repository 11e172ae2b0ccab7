import { BanyanError, ResponseError } from '@banyan/client'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: Error
  }
}

/** An input that this page cannot send, such as an amount that is none. */
export class InputError extends Error {
  readonly pointer: string

  constructor(pointer: string, detail: string) {
    super(detail)
    this.pointer = pointer
  }
}

/** What a person reads of an error. */
export function textOf(error: Error): string {
  if (personsVersionIn(error) !== undefined) return PERSONS_CHANGED
  if (error instanceof ResponseError)
    return error.problem.detail ?? error.problem.title ?? 'The service returned an error.'
  if (error instanceof BanyanError) return 'The service does not respond. Check the connection, then try again.'
  return error.message
}

const PERSONS_CHANGED =
  'A person on it was corrected since its status was last set. Open the policy: it shows what changed before you decide.'

/** The number that a decision must name, when people were corrected since the last one. */
export const personsVersionIn = (error: unknown): number | undefined =>
  error instanceof ResponseError && error.problem.reason === 'persons_changed'
    ? error.problem.persons_version
    : undefined

/** What operators find the request by in their log. */
export const requestIdOf = (error: Error): string | undefined =>
  error instanceof ResponseError ? error.requestId : undefined

/**
 * The errors of a form by the name of its field, which is the JSON pointer: `/address/pincode`. That of an entry of a
 * list, `/networks/0`, stands beside the list too.
 */
export function fieldErrorsOf(error: Error | null): Readonly<Record<string, string>> {
  if (error instanceof InputError) return { [error.pointer]: error.message }
  if (!(error instanceof ResponseError)) return {}
  const errors = error.problem.errors ?? []
  return Object.fromEntries(
    errors.flatMap(({ pointer, detail }) => [
      [pointer.replace(/\/\d+$/, ''), detail],
      [pointer, detail],
    ]),
  )
}
