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

type InputProblem = { pointer: string; detail: string }

const inputErrorsOf = (error: Error): readonly InputProblem[] =>
  error instanceof ResponseError ? (error.problem.errors ?? []) : []

/**
 * What a person reads of an error: what is wrong with the input, a line each, where the service says it. `alongside`: the
 * pointers whose errors stand alongside their fields.
 */
export function textOf(error: Error, alongside: readonly string[] = []): string {
  if (personsVersionIn(error) !== undefined) return PERSONS_CHANGED
  const others = inputErrorsOf(error).filter((one) => !isBeside(one, alongside))
  if (others.length > 0) return others.map((one) => lineOf(one)).join('\n')
  if (error instanceof ResponseError)
    return error.problem.detail ?? error.problem.title ?? 'The service returned an error.'
  if (error instanceof BanyanError) return 'The service does not respond. Check the connection, then try again.'
  return error.message
}

/** A member is named, where there is one: `Name: Must not be empty.` */
function lineOf({ pointer, detail }: InputProblem): string {
  const member = /^(?:\/|query:|header:)(?:.*\/)?([a-z_]+)$/.exec(pointer)?.[1]?.replaceAll('_', ' ')
  return member === undefined ? detail : `${member.charAt(0).toUpperCase()}${member.slice(1)}: ${detail}`
}

const isBeside = ({ pointer }: InputProblem, alongside: readonly string[]): boolean =>
  alongside.includes(pointer) || alongside.includes(pointer.replace(/\/\d+$/, ''))

/** Whether everything that is wrong stands alongside the field that it is about. */
export function errorsBeside(error: Error, alongside: readonly string[]): boolean {
  if (error instanceof InputError) return alongside.includes(error.pointer)
  const errors = inputErrorsOf(error)
  return errors.length > 0 && errors.every((one) => isBeside(one, alongside))
}

/** Said of a row that was left alone. */
export const CHANGED = 'It has changed since. It is left as it is.'

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
 * list, `/networks/0`, stands alongside the list too.
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
