import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { SealedRows, StoredKey } from '../../../access/sealed-rows.ts'
import { publicKeyId, unwrapWith } from '../../../kernel/crypto/public-wrap.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import { UsageError } from '../../../kernel/start-error.ts'
import { holdLabel } from './decide-hold.ts'
import type { HeldPerson, HeldValue } from './list-held.ts'

/** A value that was opened; one that no format opens has none. */
export type OpenedValue = { column: string; key: StoredKey; value?: unknown; unreadable?: true }

type Columns = Pick<SealedRows, 'column' | 'open'>

/**
 * Opens what `listHeld` passed on, with the private key and nothing else. Throws `UsageError` for a key that is not the right one, and for
 * a text that is no such list.
 */
export function unsealHeld(
  columns: readonly Columns[],
  { pem, list }: { pem: string; list: string },
): { person: Omit<HeldPerson, 'wrapped_key'>; values: OpenedValue[] } {
  const [first = '', ...rest] = list.split('\n').filter((line) => line.trim() !== '')
  const { wrapped_key: wrappedKey, ...person } = parseLine<HeldPerson>(first, 1, 'wrapped_key')
  const dataKey = unwrap(readPrivateKey(pem), person, wrappedKey)
  const values = rest.map((line, index) => unsealOne(columns, dataKey, parseLine<HeldValue>(line, index + 2, 'sealed')))
  return { person, values }
}

function parseLine<Line extends object>(text: string, number: number, member: keyof Line & string): Line {
  try {
    const line = JSON.parse(text) as Line
    if (typeof line[member] === 'string') return line
  } catch {
    // reported below, with the line
  }
  throw new UsageError(`Line ${number} is not of the output of \`erasures held\`. Pass it unchanged.`)
}

function readPrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new UsageError('The key is not a private key as PEM without a passphrase.')
  }
}

function unwrap(key: KeyObject, { user_id: userId, key_id }: Pick<HeldPerson, 'user_id' | 'key_id'>, wrapped: string) {
  try {
    return unwrapWith(key, holdLabel(userId), wrapped)
  } catch {
    const id = publicKeyId(createPublicKey(key))
    throw new UsageError(
      id === key_id
        ? 'The key of the person does not open: the first line was changed.'
        : `The key of the person was wrapped for the private key ${key_id}; this one is ${id}.`,
    )
  }
}

function unsealOne(columns: readonly Columns[], dataKey: DataKey, { column, key, sealed }: HeldValue): OpenedValue {
  try {
    const value = columns.find((one) => one.column === column)?.open(dataKey, key, sealed)
    return value === undefined ? { column, key, unreadable: true } : { column, key, value }
  } catch {
    return { column, key, unreadable: true }
  }
}
