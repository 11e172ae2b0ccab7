import { dereferenced } from '../dereferenced.ts'

/** The parts of the OpenAPI document that the client is made from. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: (string | number)[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  /** The forms that a part of a path takes. */
  'x-token'?: string[]
  discriminator?: { propertyName: string }
  description?: string
  examples?: unknown[]
}

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
  description?: string
}

type Content = Record<string, { schema: Schema }>

type DocumentOperation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Content; required?: boolean }
  responses: Record<string, { content?: Content }>
  security: Record<string, unknown>[]
}

export type ApiDocument = {
  info: { version: string }
  paths: Record<string, Record<string, DocumentOperation>>
  components: { schemas: Record<string, Schema> }
}

/** An operation of the document, with what the generator asks about it. */
export type ApiOperation = Omit<DocumentOperation, 'parameters'> & {
  path: string
  method: string
  parameters: Parameter[]
  /** The media types of a success, with their schemas; empty for a redirect, and for a success without a body. */
  success: Content
  /** Whether a success has no body. */
  isEmpty: boolean
}

export function operationsOf(document: ApiDocument): ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [success] = Object.entries(operation.responses).find(([status]) => /^[23]/.test(status)) ?? []
      assertFound(success, `a success of ${operation.operationId}`)
      const content = operation.responses[success]?.content ?? {}
      const parameters = (operation.parameters ?? [])
        .map((parameter) => dereferenced(parameter, document) as Parameter)
        // A client reads the records of a list, not its CSV.
        .filter(({ name }) => name !== 'format' || !('text/csv' in content))
      return {
        ...operation,
        path,
        method: method.toUpperCase(),
        parameters,
        success: content,
        isEmpty: success === '204',
      }
    }),
  )
}

export function assertFound<T>(found: T, what: string): asserts found is NonNullable<T> {
  if (found === undefined || found === null) throw new Error(`The OpenAPI document has not got ${what}`)
}

export const refName = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1)

const HEADER = '// Generated from openapi.json by `npm run generate`. Do not edit.'

export const fileOf = (...parts: string[]): string => `${[HEADER, ...parts].join('\n\n')}\n`

/** A comment above a declaration; its lines are broken at about the usual width. */
export function comment(text: string, indent = ''): string {
  const lines = text
    .replaceAll('*/', '*\\/')
    .split('\n')
    .flatMap((line) => broken(line, 110 - indent.length))
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`
}

function broken(line: string, width: number): string[] {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
