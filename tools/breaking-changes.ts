import { isDeepStrictEqual } from 'node:util'
import { dereferenced } from './dereferenced.ts'
import { inputChanges, outputChanges, type Schema } from './schema-changes.ts'

type Parameter = { name: string; in: string; required?: boolean; schema?: Schema }
type Content = Record<string, { schema?: Schema }>
type Response = { headers?: Record<string, unknown>; content?: Content }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses?: Record<string, Response>
  security?: object[]
  'x-callers'?: Record<string, string>
}
type Document = { paths: Record<string, Record<string, Operation>> }

/**
 * Returns the changes of the OpenAPI document that break existing callers, one line each; empty when there are only
 * additions.
 */
export function breakingChanges(released: object, current: object): string[] {
  const [before, after] = [released, current].map((document) => dereferenced(document as Document)) as [
    Document,
    Document,
  ]
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const now = after.paths[path]?.[method]
      // Two media types of one body would report everything twice.
      const changes = new Set(now ? changesOf(operation, now) : ['is gone'])
      return [...changes].map((change) => `${method.toUpperCase()} ${path}: ${change}`)
    }),
  )
}

function changesOf(old: Operation, now: Operation): string[] {
  return [
    ...(old.operationId === now.operationId
      ? []
      : [`is called ${now.operationId} now, and so are the functions of clients`]),
    ...(acceptsAllOf(old.security ?? [], now.security ?? []) ? [] : ['asks for other credentials']),
    ...callerChanges(old['x-callers'] ?? {}, now['x-callers'] ?? {}),
    ...parameterChanges(old.parameters ?? [], now.parameters ?? []),
    ...bodyChanges(old.requestBody, now.requestBody),
    ...Object.entries(old.responses ?? {}).flatMap(([status, response]) =>
      responseChanges(status, response, now.responses?.[status]),
    ),
  ]
}

/** Returns true when every credential that was sufficient still is. */
const acceptsAllOf = (old: object[], now: object[]) =>
  old.length === 0 ? now.length === 0 : old.every((one) => now.some((other) => isDeepStrictEqual(one, other)))

const callerChanges = (old: Record<string, string>, now: Record<string, string>) =>
  Object.entries(old).flatMap(([kind, grant]) =>
    now[kind] === grant || now[kind] === 'yes' ? [] : [`${kind} may not call it as before`],
  )

const keyOf = (parameter: Parameter) => `${parameter.in} ${parameter.name.toLowerCase()}`

function parameterChanges(old: Parameter[], now: Parameter[]): string[] {
  const before = new Map(old.map((parameter) => [keyOf(parameter), parameter]))
  const after = new Map(now.map((parameter) => [keyOf(parameter), parameter]))
  const gone = [...before.keys()].filter((key) => !after.has(key)).map((key) => `${key} is gone`)
  const changed = [...after].flatMap(([key, parameter]) => {
    const known = before.get(key)
    const isNeeded = parameter.required === true && known?.required !== true
    const narrowed = known ? inputChanges(known.schema ?? {}, parameter.schema ?? {}) : []
    return [...(isNeeded ? [`${key} is now required`] : []), ...narrowed.map((change) => `${key} ${change}`)]
  })
  return [...gone, ...changed]
}

function bodyChanges(old: Operation['requestBody'], now: Operation['requestBody']): string[] {
  if (!old) return now?.required ? ['a body is now required'] : []
  const isNeeded = now?.required === true && old.required !== true
  return [
    ...(isNeeded ? ['a body is now required'] : []),
    ...contentChanges(old.content, now?.content ?? {}, inputChanges).map((change) => `request ${change}`),
  ]
}

/** Removing an error breaks nobody; removing a success does. */
function responseChanges(status: string, old: Response, now: Response | undefined): string[] {
  if (!now) return status >= '400' ? [] : [`${status} is no longer returned`]
  const names = Object.keys(now.headers ?? {}).map((name) => name.toLowerCase())
  const lost = Object.keys(old.headers ?? {}).filter((name) => !names.includes(name.toLowerCase()))
  return [
    ...lost.map((name) => `${status} the header ${name} is gone`),
    ...contentChanges(old.content ?? {}, now.content ?? {}, outputChanges).map((change) => `${status} ${change}`),
  ]
}

const contentChanges = (old: Content, now: Content, compare: typeof inputChanges) =>
  Object.entries(old).flatMap(([type, { schema = {} }]) => {
    const other = now[type]
    return other ? compare(schema, other.schema ?? {}) : [`${type} is gone`]
  })
