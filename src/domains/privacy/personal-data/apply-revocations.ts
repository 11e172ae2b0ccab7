import type { Actor } from '../../../access/caller.ts'
import { endListedSessions } from '../../../access/administrator-sessions.ts'
import {
  revokeAgain,
  type Revocation,
  REVOCATION_KINDS,
  splitConsentSubject,
  splitPhoneSubject,
} from '../../../access/revocations.ts'
import { endListedFamilies } from '../../../access/user-sessions.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { isDay } from '../../../kernel/date.ts'
import { newId } from '../../../kernel/id.ts'
import { insertEntries, toEntryRow } from '../../../record/audit.ts'
import { UsageError } from '../../../kernel/start-error.ts'
import { disableListed } from '../../administration/administrators/index.ts'
import { deleteRevokedCredential } from '../../partners/credentials/index.ts'
import { raisePlatformEpoch } from '../../partners/platforms/index.ts'
import { deleteFormerPhone, raiseSessionEpoch } from '../../people/users/index.ts'
import { withdrawListed } from '../consents/index.ts'
import { parseTombstone, type Tombstone } from './apply-erasures.ts'
import type { ListedRevocation } from './read-restore-list.ts'

const BATCH = 1_000

type RestoreList = { tombstones: Tombstone[]; revocations: Revocation[] }

/**
 * Parses a list of what was shut since a backup, or the output of `erasures list`. Throws `UsageError` for the first malformed
 * line, and for one of a kind that a later version has written: what it shuts would stay open.
 */
export function parseRestoreList(text: string): RestoreList {
  const list: RestoreList = { tombstones: [], revocations: [] }
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const revocation = parseRevocation(line)
    const [kind = '', userId = ''] = revocation?.subject.split(':') ?? []
    if (revocation && !REVOCATION_KINDS.some((one) => one === kind)) throw unknownKind(index + 1)
    if (!revocation) list.tombstones.push(parseTombstone(line, index + 1))
    else if (kind === 'user') list.tombstones.push(toTombstone(userId, revocation))
    else list.revocations.push(revocation)
  }
  return list
}

const unknownKind = (line: number) =>
  new UsageError(
    `Line ${line} is of a kind that this version does not know. Apply the list with the version that wrote it; nothing was shut.`,
  )

const toTombstone = (userId: string, { at, heldUntil }: ListedRevocation): Tombstone => ({
  user_id: userId,
  erased_at: new Date(at).toISOString(),
  ...(heldUntil && { held_until: heldUntil }),
})

function parseRevocation(line: string): ListedRevocation | undefined {
  try {
    const { revoked: subject, first_epoch: firstEpoch, at, held_until } = JSON.parse(line) as Record<string, unknown>
    if (typeof subject !== 'string' || typeof firstEpoch !== 'number' || typeof at !== 'string') return undefined
    const heldUntil = typeof held_until === 'string' && isDay(held_until) ? held_until : undefined
    return Number.isNaN(Date.parse(at)) ? undefined : { subject, firstEpoch, at, heldUntil }
  } catch {
    return undefined
  }
}

/** What was open in this database and is shut again. */
type Shut = Record<
  'credentials' | 'sessions' | 'users' | 'platforms' | 'phones' | 'administrators' | 'consents',
  string[]
>

type Context = { db: Queryable; clock: Clock }

/** Shuts again what was shut before this database was restored. Idempotent; continues after a crash. */
export async function applyRevocations({ db, clock }: Context, revocations: readonly Revocation[]): Promise<Shut> {
  const shut: Shut = {
    credentials: [],
    sessions: [],
    users: [],
    platforms: [],
    phones: [],
    administrators: [],
    consents: [],
  }
  const at = clock.now()
  const idsOf = (...kinds: string[]) => [
    ...new Set(
      revocations
        .map(({ subject }) => subject.split(':'))
        .flatMap(([kind = '', id = '']) => (kinds.includes(kind) ? [id] : [])),
    ),
  ]
  for (const id of idsOf('credential', 'service')) if (await deleteRevokedCredential(db, id)) shut.credentials.push(id)
  const sessions = idsOf('session')
  for (let from = 0; from < sessions.length; from += BATCH) {
    const some = sessions.slice(from, from + BATCH)
    shut.sessions.push(...(await endListedFamilies(db, some, at)), ...(await endListedSessions(db, some, at)))
  }
  for (const [id, epoch] of newestEpochs(revocations, 'sessions_of'))
    if (await raiseSessionEpoch(db, id, epoch)) shut.users.push(id)
  for (const [id, epoch] of newestEpochs(revocations, 'platform'))
    if (await raisePlatformEpoch(db, id, epoch)) shut.platforms.push(id)
  for (const { userId, hash } of formerPhones(revocations))
    if (await deleteFormerPhone(db, userId, hash)) shut.phones.push(userId)
  shut.administrators = await disableListed(db, listDisabled(revocations), at)
  const withdrawn = await withdrawAll(db, revocations)
  shut.consents = withdrawn.map(({ subject }) => subject)
  await revokeAgain(db, revocations)
  await audit(db, { shut, withdrawn }, at)
  return shut
}

function newestEpochs(revocations: readonly Revocation[], of: string): Map<string, number> {
  const newest = new Map<string, number>()
  for (const { subject, firstEpoch } of revocations) {
    const [kind, id = ''] = subject.split(':')
    if (kind === of) newest.set(id, Math.max(newest.get(id) ?? 0, firstEpoch))
  }
  return newest
}

/** Withdraws the consents of a list, and returns those that counted. */
async function withdrawAll(db: Queryable, revocations: readonly Revocation[]): Promise<Entry[]> {
  const withdrawn: Entry[] = []
  for (const { subject, at } of revocations) {
    const listed = splitConsentSubject(subject)
    if (!listed) continue
    const { userId } = listed
    for (const id of await withdrawListed(db, listed, new Date(at))) withdrawn.push({ subject: id, userId })
  }
  return withdrawn
}

/** The administrators whose last status was that they are disabled. */
function listDisabled(revocations: readonly Revocation[]): string[] {
  const statuses = new Map<string, string>()
  for (const { subject } of inOrder(revocations)) {
    const [kind, id = '', status = ''] = subject.split(':')
    if (kind === 'administrator') statuses.set(id, status)
  }
  return [...statuses].flatMap(([id, status]) => (status === 'DISABLED' ? [id] : []))
}

const inOrder = (revocations: readonly Revocation[]) =>
  revocations.toSorted((one, other) => one.at.localeCompare(other.at))

/** The phones that led to a user once and, by the last move, no longer do. Somebody can have had a number twice. */
function formerPhones(revocations: readonly Revocation[]): { userId: string; hash: string }[] {
  const phones = new Map<string, { former: Set<string>; last: string }>()
  for (const { subject } of inOrder(revocations)) {
    const change = splitPhoneSubject(subject)
    if (!change) continue
    const { former } = phones.get(change.userId) ?? { former: new Set() }
    phones.set(change.userId, { former: former.add(change.former), last: change.phone })
  }
  return [...phones].flatMap(([userId, { former, last }]) =>
    [...former].filter((hash) => hash !== last).map((hash) => ({ userId, hash })),
  )
}

/** What an entry of the audit is about. */
type Entry = { subject: string; userId: string | null }

async function audit(db: Queryable, { shut, withdrawn }: { shut: Shut; withdrawn: readonly Entry[] }, at: Date) {
  const { credentials, sessions, users, platforms, phones, administrators } = shut
  const author: Actor & { at: Date } = { caller: { kind: 'system', job: 'command-line' }, requestId: newId('job'), at }
  const entries = [
    ...[...credentials, ...sessions, ...platforms, ...administrators].map((subject) => ({ subject, userId: null })),
    ...[...users, ...phones].map((userId) => ({ subject: userId, userId })),
    ...withdrawn,
  ].map((entry) => toEntryRow(author, { action: 'revoke', ...entry }))
  for (let from = 0; from < entries.length; from += BATCH) await insertEntries(db, entries.slice(from, from + BATCH))
}
