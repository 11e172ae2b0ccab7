import { dereferenced } from '../dereferenced.ts'

export type Schema = {
  type?: string | string[]
  format?: string
  description?: string
  enum?: (string | number | null)[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  examples?: unknown[]
  example?: unknown
  default?: string | number | boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}
type Media = { schema: Schema; example?: unknown; examples?: Record<string, unknown> }
export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: [string]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
  'x-callers': Record<string, 'own' | 'yes'>
  security: Record<string, unknown>[]
}
export type OpenApi = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
}
export type Located = { method: string; path: string; operation: Operation }

/** Returns the operations with everything in place of its reference, in the order of the document. */
export function operationsIn(document: OpenApi): Located[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: dereferenced(operation, document),
    })),
  )
}
