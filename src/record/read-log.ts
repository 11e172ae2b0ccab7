import { type Actor, actorFrom, ADMINISTRATORS } from '../access/caller.ts'
import type { AccessRow } from '../access/matrix.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Queryable } from '../kernel/db/database.ts'
import type { Reply, Request, Route } from '../kernel/http/exchange.ts'
import { isReadOnly } from '../kernel/http/takes-key.ts'
import { addErrors } from '../kernel/http/validation.ts'
import type { PeriodicTask } from '../kernel/jobs/periodic.ts'
import { type FieldError, unavailable } from '../kernel/problem-error.ts'
import { type EntryRow, insertEntries, toEntryRow } from './audit.ts'
import { CsvList } from './list-in-csv.ts'

declare module '../kernel/http/exchange.ts' {
  interface Request {
    /** Whether the request changed something; the entry of the change then records the caller, too. */
    hasChanged?: boolean
    /** The records of the list in the response, or that were read for it. */
    listed?: readonly Listed[]
  }
}

/** A record of a list, and the user it is about: of a list of sponsors, `null`. */
type Listed = { subject: string | null; userId: string | null }

/** A killed process loses the reads of its last second at most: half of it is for the write itself. */
const WRITE_INTERVAL_MS = 500
const WRITE_BATCH_SIZE = 5_000
/** About 25 MB, or two and a half seconds of lists of 100 people at the rate limit of one platform. */
const PENDING_MAX = 50_000

type Decrypts = NonNullable<AccessRow['decrypts']>

/** The person and the record that the path or the caller names. */
type ActorIds = Pick<Actor, 'userId' | 'target'>

type ReadLog = ReturnType<typeof createReadLog>

/** Buffers the entries of reads in memory; they are written twice a second and at shutdown. */
export function createReadLog(db: Queryable, { pendingMax = PENDING_MAX } = {}) {
  /** One for each insert, so that a long backlog is never copied. */
  const chunks: EntryRow[][] = []
  /** Sent before, without a response: they may be written, so they are sent again as they were. */
  const unconfirmed: EntryRow[][] = []
  let pending = 0

  const next = () => unconfirmed.shift() ?? chunks.shift()

  /** Writes the pending entries; after an error they stay pending. */
  async function write(): Promise<void> {
    for (let rows = next(); rows; rows = next()) {
      try {
        await insertEntries(db, rows)
      } catch (error) {
        unconfirmed.push(rows)
        throw error
      }
      pending -= rows.length
    }
  }

  return {
    note(rows: readonly EntryRow[]): void {
      if (rows.length === 0) return
      const last = chunks.at(-1)
      if (last && last.length < WRITE_BATCH_SIZE) last.push(...rows)
      else chunks.push([...rows])
      pending += rows.length
    },
    pending: () => pending,
    /** Returns true while more reads could not be recorded. Requests in progress may still note theirs. */
    isFull: () => pending >= pendingMax,
    write,
    writingTask: { name: 'write-read-log', every_ms: WRITE_INTERVAL_MS, run: write } satisfies PeriodicTask,
  }
}

/** Notes a response about a person, of which at least a part was sent. */
type NoteRead = (request: Request, reply: Reply) => void

export const readNoter =
  (clock: Clock, reads: ReadLog): NoteRead =>
  (request, reply) => {
    if (reply.statusCode >= 400 || request.hasChanged) return
    const decrypts = recordedBy(request)
    if (decrypts === undefined) return
    const author = { ...actorFrom(request), at: clock.now() }
    reads.note(shownIn(request, author, decrypts).map((record) => toEntryRow(author, { action: 'read', ...record })))
  }

/** `requirePurpose`: administrators must state why they read personal data. */
export type AuditSettings = { reads: ReadLog; requirePurpose: boolean }

export type Audit = ReturnType<typeof createAudit>

/** Creates the steps that audit every response with sealed personal data, and every other one about a user that somebody else gets. */
export function createAudit(reads: ReadLog, clock: Clock) {
  /** Notes the records in a page of a CSV, of which there can be many: they are written before the next page is read. */
  async function notePage(request: Request, decrypts: Decrypts, page: unknown): Promise<void> {
    if (reads.isFull()) await reads.write()
    const author = { ...actorFrom(request), at: clock.now() }
    reads.note(listedIn(page, decrypts).map((record) => toEntryRow(author, { action: 'read', ...record })))
  }

  return {
    /** Throws 503 while too many reads are not written yet: nothing is shown that could not be recorded. A change that changes nothing is a read. */
    checkRoom(request: Request): void {
      if (reads.isFull() && recordedBy(request) !== undefined) throw unavailable()
    },

    /** Notes the records in a list. */
    noteListed(request: Request, payload: unknown): void {
      const row = findAccessRow(request.route.config)
      const decrypts = row?.decrypts
      if (decrypts === undefined) return
      if (row?.isAuditedOnce) request.listed = [{ subject: null, userId: null }]
      else if (!(payload instanceof CsvList)) request.listed ??= listedIn(payload, decrypts)
      else if (isOfList(actorFrom(request))) payload.onPage = (page) => notePage(request, decrypts, page)
    },
  }
}

/** Checks the `Purpose` header wherever sealed personal data is shown. */
export function addPurposeErrors(routes: readonly Route[], requirePurpose: boolean): void {
  for (const route of routes) {
    if (findAccessRow(route.config)?.decrypts === undefined) continue
    addErrors(route, (request) => purposeErrors(request, { isRequired: requirePurpose }))
  }
}

/** Returns the summaries of the operations, by operation id. */
export const listSummaries = (routes: readonly Route[]): [operation: string, summary: string][] =>
  routes.flatMap(({ config, schema }) => {
    const row = findAccessRow(config)
    return row && schema.summary !== undefined ? [[row.operation, schema.summary]] : []
  })

const findAccessRow = (config: { access?: AccessRow | 'anyone' } | undefined): AccessRow | undefined =>
  config?.access === 'anyone' ? undefined : config?.access

/**
 * Returns whose data a response shows, if the audit records it: sealed data for anyone who asks, and reads of anything else below
 * the path of a user by others than the user.
 */
function recordedBy(request: Request): AccessRow['decrypts'] {
  const row = findAccessRow(request.route.config)
  if (row === undefined || row.decrypts !== undefined || !isReadOnly(request)) return row?.decrypts
  const { params, caller } = request
  const { user_id: userId } = (params ?? {}) as { user_id?: string }
  return userId === undefined || ('userId' in caller && caller.userId === userId) ? undefined : 'user'
}

/** Returns what a response shows: the record of the path, the caller, or each record in the list. */
function shownIn(request: Request, author: ActorIds, decrypts: Decrypts): readonly Listed[] {
  if (isOfList(author)) return request.listed ?? []
  const { userId = null, target = userId } = author
  return [{ subject: target, userId: decrypts === 'user' ? userId : null }]
}

/** Returns true when a response shows the records in it, and not one that the path or the caller names. */
const isOfList = ({ userId, target }: ActorIds): boolean => target === undefined && userId === undefined

function listedIn(payload: unknown, decrypts: Decrypts): readonly Listed[] {
  const data = (payload as { data?: unknown } | null)?.data
  if (!Array.isArray(data)) return []
  return data.flatMap(({ user_id: userId, id = userId }: { user_id?: unknown; id?: unknown }) =>
    typeof id === 'string'
      ? [{ subject: id, userId: decrypts === 'user' && typeof userId === 'string' ? userId : null }]
      : [],
  )
}

const PURPOSE = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/

function purposeErrors(
  { caller, headers: { purpose } }: Request,
  { isRequired }: { isRequired: boolean },
): FieldError[] {
  const pointer = 'header:purpose'
  if (purpose === undefined || purpose === '') {
    if (!isRequired || !ADMINISTRATORS.some((role) => role === caller.kind)) return []
    const detail = 'Required: this installation asks administrators for a `Purpose` when they access personal data.'
    return [{ pointer, code: 'required', detail }]
  }
  if (typeof purpose === 'string' && PURPOSE.test(purpose)) return []
  const detail = 'A purpose is 1 to 200 visible ASCII characters or spaces, with no space at either end.'
  return [{ pointer, code: 'format', detail }]
}
