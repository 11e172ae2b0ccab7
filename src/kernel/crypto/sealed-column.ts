import { type DataKey, seal, unseal } from './vault.ts'

/** A value that no known format opens: it was damaged, or moved to another row. */
export class UnreadableError extends Error {
  override name = 'UnreadableError'
  readonly column: string
  readonly row: string
  constructor({ column, row }: SealedAddress, cause: unknown) {
    super(`the sealed value in ${column} of ${row} cannot be opened`, { cause })
    this.column = column
    this.row = row
  }
}

/** Where a sealed value is stored: `table.column`, and the associated data, which has the table and the ids of the row. */
export type SealedAddress = { column: string; row: string }

const listeners = new Set<(address: SealedAddress) => void>()

/** Reports every attempt to read an unreadable value to a listener. The returned function removes it. */
export function onUnreadable(listener: (address: SealedAddress) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** How a value is sealed: bound to the name of its row as associated data, under the key or one derived from it. */
type Format<At> = { row: (at: At) => string; derive?: (key: DataKey) => DataKey }

/** A stored format: never change it without adding what it was to `former`. */
type Formats<At> = Format<At> & { former?: readonly Format<At>[] }

/** A column of sealed values, for the list in `src/stored-formats.ts`. */
export type SealedColumn<Value = unknown, At = never> = {
  /** `table.column` */
  readonly column: string
  seal(key: DataKey, at: At, value: Value): string
  /** Throws `UnreadableError`, a 500, when no format opens the value. */
  open(key: DataKey, at: At, sealed: string): Value
  /** Returns undefined instead: for lists and exports, which one damaged row must not fail. */
  openReadable(key: DataKey, at: At, sealed: string): Value | undefined
  /** Returns the value in the present format; null when it already is. Throws `UnreadableError`. */
  reseal(key: DataKey, at: At, sealed: string): string | null
}

/**
 * Defines the formats of a column of sealed values once: its present one, which seals, and the former ones, which a
 * database of an earlier version may still hold. The present one is tried first, so former ones cost it nothing.
 */
export function sealedColumn<Value, At>(
  column: string,
  { former = [], ...present }: Formats<At>,
): SealedColumn<Value, At> {
  const formats = [present, ...former]
  const sealNow = (key: DataKey, at: At, value: Value) => seal(present.derive?.(key) ?? key, present.row(at), value)

  /** Returns the value and the index of its format; 0 is the present one. */
  function read(key: DataKey, at: At, sealed: string): { value: Value; format: number } {
    let cause: unknown
    for (const [format, { row, derive }] of formats.entries()) {
      try {
        return { value: unseal<Value>(derive?.(key) ?? key, row(at), sealed), format }
      } catch (error) {
        cause ??= error
      }
    }
    const address = { column, row: present.row(at) }
    for (const listener of listeners) listener(address)
    throw new UnreadableError(address, cause)
  }

  return {
    column,
    seal: sealNow,
    open: (key, at, sealed) => read(key, at, sealed).value,
    openReadable(key, at, sealed) {
      try {
        return read(key, at, sealed).value
      } catch (error) {
        if (error instanceof UnreadableError) return undefined
        throw error
      }
    },
    reseal(key, at, sealed) {
      const { value, format } = read(key, at, sealed)
      return format === 0 ? null : sealNow(key, at, value)
    },
  }
}
