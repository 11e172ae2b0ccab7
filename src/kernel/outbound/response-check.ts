import { Ajv } from 'ajv'
import type { Static, TSchema } from 'typebox'

/** Returns a check of a company's response against its schema, compiled at the first use. */
export function responseCheck<T extends TSchema>(schema: T): (body: unknown) => body is Static<T> {
  let matches: ((body: unknown) => boolean) | undefined
  return (body): body is Static<T> => (matches ??= new Ajv().compile(schema))(body)
}
