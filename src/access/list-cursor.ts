import { timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../kernel/canonical.ts'
import { type Clock, unixSeconds } from '../kernel/clock.ts'
import type { Hasher, Vault } from '../kernel/crypto/vault.ts'
import type { ChangePosition } from '../kernel/db/changes-text.ts'
import { type FieldError, unknownReference } from '../kernel/problem-error.ts'
import type { Scope } from './scope.ts'

/** A cursor is of no use for long: the rows before it have changed. */
const VALID_HOURS = 24
const VALID_SECONDS = VALID_HOURS * 3_600
const MAC_BYTES = 16
const CURSOR = /^([\w-]{1,200})\.([\w-]{22})$/

/** The list that a cursor is of: another list, caller or filter does not take it. */
export type CursorOf = { list: string; scope: Scope; filters: object }

type Context = { vault: Vault; clock: Clock }

/** Returns the cursor of a position: what follows it, and a code that only this list, scope and filters give. */
export function cursorAt({ vault, clock }: Context, of: CursorOf, { changedAt, id }: ChangePosition): string {
  const text = Buffer.from(`${unixSeconds(clock)}.${changedAt}.${id}`).toString('base64url')
  return `${text}.${computeMac(vault, of, text).toString('base64url')}`
}

/** Returns the position of a cursor, or what is wrong with it. */
export function positionIn({ vault, clock }: Context, of: CursorOf, cursor: string): ChangePosition | FieldError {
  const [, text, mac] = CURSOR.exec(cursor) ?? []
  if (text === undefined || mac === undefined) return MALFORMED
  const sent = Buffer.from(mac, 'base64url')
  if (!vault.hashers.some((hasher) => timingSafeEqual(computeMac(hasher, of, text), sent))) return FOREIGN
  const [issuedAt = '', changedAt = '', ...id] = Buffer.from(text, 'base64url').toString().split('.')
  if (Number(issuedAt) + VALID_SECONDS < unixSeconds(clock)) return OUTDATED
  return { changedAt: Number(changedAt), id: id.join('.') }
}

const computeMac = (hasher: Pick<Hasher, 'blindIndex'>, of: CursorOf, text: string): Buffer =>
  hasher.blindIndex('list_cursor', canonicalJson({ ...of, text })).subarray(0, MAC_BYTES)

const MALFORMED: FieldError = {
  pointer: 'query:after',
  code: 'format',
  detail: 'Must be the `next` of a previous page, unchanged.',
}

const FOREIGN = unknownReference(
  'query:after',
  'Not a cursor of this list. It goes with the caller, list and filters of the page that it came with: repeat those, or start again without it.',
)

const OUTDATED: FieldError = {
  pointer: 'query:after',
  code: 'expired',
  detail: `This cursor is older than ${VALID_HOURS} hours. Start again without it; \`changed_after\` leaves out what you have.`,
}
