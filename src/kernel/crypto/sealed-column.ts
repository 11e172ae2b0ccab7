import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { ProblemError } from '../problem-error.ts'
import { type DataKey, isSealedAsNow, seal, unseal } from './vault.ts'

/** A value that no known format opens: it was damaged, or moved to another row. */
export class UnreadableError extends ProblemError {
  readonly address: SealedAddress

  constructor(address: SealedAddress, cause: unknown) {
    const error = new Error(`the sealed value in ${address.column} of ${address.row} cannot be opened`, { cause })
    super('unreadable', 'The record is stored, but a part of it cannot be read.', { cause: error })
    this.address = address
  }
}

/** Where a sealed value is stored: `table.column`, the name of its row, which has the ids, and what else locates it. */
export type SealedAddress = { column: string; row: string; [more: string]: string }

/** Shown for a text that cannot be read. `null` would say that there is none. */
export const UNAVAILABLE = '(unavailable)'

const listeners = new Set<(address: SealedAddress) => void>()

/** Counts and logs reads of unreadable values, by their address. The returned function ends it. */
export function watchUnreadable({ log, metrics }: { log: Log; metrics: Metrics }): () => void {
  const listener = (address: SealedAddress) => {
    metrics.unreadable()
    log.error(address, 'a sealed value cannot be opened')
  }
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Has a value that cannot be opened counted and logged; returns its error, a 500 `unreadable`. */
export function unreadable(address: SealedAddress, cause: unknown): UnreadableError {
  for (const listener of listeners) listener(address)
  return new UnreadableError(address, cause)
}

/** How a value is sealed: bound to the name of its row as associated data, under the key or one derived from it. */
type Format<At> = { row: (at: At) => string; derive?: (key: DataKey) => DataKey }

/** A stored format: never change it without adding what it was to `former`. */
type Formats<At> = Format<At> & { former?: readonly Format<At>[] }

/** A function where the key itself may be unreadable: in lists of several owners. */
type KeySource = DataKey | (() => DataKey)

export type SealedColumn<Value = unknown, At = never> = {
  /** `table.column` */
  readonly column: string
  /** How many formats there are, whatever they are encrypted with: the present one and the former ones. */
  readonly formats: number
  seal(key: DataKey, at: At, value: Value): string
  /** Throws `UnreadableError`, a 500, when no format opens the value. */
  unseal(key: KeySource, at: At, sealed: string): Value
  /** Returns `instead` for an unreadable value: for lists and exports, which one damaged row must not fail. */
  unsealOr<Instead>(key: KeySource, at: At, sealed: string, instead: Instead): Value | Instead
  /** Returns the value in the present format; null when it already is. Throws `UnreadableError`. */
  reseal(key: KeySource, at: At, sealed: string): string | null
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
  function read(source: KeySource, at: At, sealed: string): { value: Value; format: number } {
    let cause: unknown
    for (const [format, { row, derive }] of formats.entries()) {
      try {
        const key = typeof source === 'function' ? source() : source
        return { value: unseal<Value>(derive?.(key) ?? key, row(at), sealed), format }
      } catch (error) {
        cause ??= error
      }
    }
    throw unreadable({ column, row: present.row(at) }, cause)
  }

  return {
    column,
    formats: formats.length,
    seal: sealNow,
    unseal: (key, at, sealed) => read(key, at, sealed).value,
    unsealOr(key, at, sealed, instead) {
      try {
        return read(key, at, sealed).value
      } catch (error) {
        if (error instanceof UnreadableError) return instead
        throw error
      }
    },
    reseal(key, at, sealed) {
      const { value, format } = read(key, at, sealed)
      const present = typeof key === 'function' ? key() : key
      return format === 0 && isSealedAsNow(present, sealed) ? null : sealNow(present, at, value)
    },
  }
}
