import type { FieldError } from '../problem-error.ts'
import { setOwn } from '../set-own.ts'
import { tooMany, UNKNOWN, UNSTORABLE } from './field-error-text.ts'
import { escapePointer } from './json.ts'

/** Maximum number of reported errors; the search stops there. */
export const FIELD_ERRORS_MAX = 100
/**
 * Deeper errors are reported at the closest ancestor whose pointer is short enough; long names could otherwise make the
 * response huge.
 */
const POINTER_LENGTH_MAX = 1_000

/** The JSON Schema keywords read here; Ajv reads all of them. */
type Shape = {
  properties?: Record<string, Shape>
  additionalProperties?: unknown
  items?: Shape
  maxItems?: number
  anyOf?: Shape[]
  oneOf?: Shape[]
  discriminator?: { propertyName: string }
  const?: unknown
  nullIsAbsent?: boolean
}

type Walk = { refusesUnknown: boolean; path: (string | number)[]; errors: FieldError[] }

/**
 * Returns the value without the members its schema does not name (ignored members are not stored either), and the
 * errors whose number only the sender controls: lists that are too long, text that cannot be stored and, when refused,
 * unknown members. A list longer than its `maxItems` is not searched and becomes empty, so that the rest is bounded by
 * the schema and validates quickly. The search stops after a hundred errors.
 */
export function knownMembers(schema: object, value: unknown, { refusesUnknown }: { refusesUnknown: boolean }) {
  const walk: Walk = { refusesUnknown, path: [], errors: [] }
  const knownValue = keepKnown(schema, value, walk)
  return { knownValue, errors: walk.errors }
}

/** Without a schema, a value is checked and returned unchanged. */
function keepKnown(schema: Shape | undefined, value: unknown, walk: Walk): unknown {
  if (walk.errors.length >= FIELD_ERRORS_MAX) return value
  if (typeof value === 'string') {
    if (!isStorable(value)) report(walk, UNSTORABLE)
    return value
  }
  if (value === null || typeof value !== 'object') return value
  const shape = chooseShape(schema ?? {}, value)
  return Array.isArray(value)
    ? knownItems(shape, value, walk)
    : knownProperties(shape, value as Record<string, unknown>, walk)
}

/**
 * Returns the shape of an object or list in a schema: of a union with null, the other branch; of a discriminated union,
 * the branch the value names.
 */
function chooseShape(schema: Shape, value: object): Shape {
  const { anyOf, oneOf, discriminator } = schema
  if (discriminator) return shapeNamed(discriminator.propertyName, oneOf ?? [], value) ?? schema
  return anyOf?.map((one) => chooseShape(one, value)).find(({ properties, items }) => properties ?? items) ?? schema
}

/** Falls back to the first shape when the value names none, so that only its tag is reported as wrong. */
function shapeNamed(tag: string, shapes: Shape[], value: object): Shape | undefined {
  const { [tag]: named } = value as Record<string, unknown>
  return shapes.find(({ properties = {} }) => properties[tag]?.const === named) ?? shapes[0]
}

function knownItems({ items, maxItems }: Shape, list: unknown[], walk: Walk): unknown[] {
  if (maxItems !== undefined && list.length > maxItems) {
    report(walk, tooMany(maxItems))
    return []
  }
  const knownParts = list.map((item, index) => below(walk, index, items, item))
  return items ? knownParts : list
}

function knownProperties(
  { properties, additionalProperties }: Shape,
  object: Record<string, unknown>,
  walk: Walk,
): object {
  const isOpen = properties === undefined || additionalProperties === true
  const knownParts: Record<string, unknown> = {}
  // `Object.entries` takes five times as long with thousands of names.
  for (const name of Object.keys(object)) {
    const schema = properties && Object.hasOwn(properties, name) ? properties[name] : undefined
    const isRead = isOpen || schema !== undefined
    if (object[name] === null && schema?.nullIsAbsent) continue
    if (!isStorable(name)) report(walk, UNSTORABLE)
    else if (!isRead && walk.refusesUnknown) report(walk, UNKNOWN, name)
    else {
      const inner = below(walk, name, schema, object[name])
      if (isRead) setOwn(knownParts, name, inner)
    }
  }
  return properties ? knownParts : object
}

function below(walk: Walk, name: string | number, schema: Shape | undefined, value: unknown): unknown {
  walk.path.push(name)
  const knownValue = keepKnown(schema, value, walk)
  walk.path.pop()
  return knownValue
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')

function report({ path, errors }: Walk, error: Omit<FieldError, 'pointer'>, ...name: string[]): void {
  if (errors.length < FIELD_ERRORS_MAX) errors.push({ pointer: pointerTo([...path, ...name]), ...error })
}

function pointerTo(path: (string | number)[]): string {
  let pointer = ''
  for (const name of path.map(String)) {
    if (pointer.length + name.length > POINTER_LENGTH_MAX) break
    pointer += `/${escapePointer(name)}`
  }
  return pointer
}
