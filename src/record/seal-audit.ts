import { createHash } from 'node:crypto'
import type { AuditHead, AuditHeads } from '../access/audit-heads.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { listProgramsBefore } from '../kernel/db/inspect-database.ts'
import { HORIZON } from '../kernel/db/log-position.ts'
import type { Log } from '../kernel/log.ts'

const BATCH_SIZE = 5_000
const ENTRY = `e.xid::text as xid, e.audit_id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, e.actor,
  e.operation, e.action, e.subject, e.user_id, e.request_id, e.purpose, e.credential_id`

/** What the hash of a batch covers of each entry, in order. */
const FIRST_NAMES = [
  'xid',
  'audit_id',
  'at',
  'actor',
  'operation',
  'action',
  'subject',
  'user_id',
  'request_id',
  'purpose',
] as const
const NAMES = [...FIRST_NAMES, 'credential_id'] as const
/**
 * Batches whose hash also covers the credential of the entries that name one. Those of the first version say none: they cover no
 * credential, whatever an entry names.
 */
const VERSION = 2
/** The first version of the program that reads them. */
const SINCE = '0.3.0'

export type Entry = Record<(typeof FIRST_NAMES)[number], string | null> & { credential_id?: string | null }

/** Only entries older than every running transaction: no earlier entry can appear any more. */
const UNSEALED = statement(
  'audit_entries_unsealed',
  `select ${ENTRY}
     from audit_entries e
    where (e.xid, e.audit_id) > ($1::xid8, $2) and e.xid < ${HORIZON}
    order by e.xid, e.audit_id
    limit $3`,
)

const BETWEEN = statement(
  'audit_entries_between',
  `select ${ENTRY}
     from audit_entries e
    where (e.xid, e.audit_id) > ($1::xid8, $2) and (e.xid, e.audit_id) <= ($3::xid8, $4)
    order by e.xid, e.audit_id`,
)

export const BATCH = 'number, last_xid::text as last_xid, last_audit_id, entry_count, hash, signature, version'
const NEWEST = statement('audit_batches_newest', `select ${BATCH} from audit_batches order by number desc limit 1`)
const FOLLOWING = statement(
  'audit_batches_following',
  `select ${BATCH} from audit_batches where number > $1 order by number limit 100`,
)
const INSERT = statement(
  'audit_batches_insert',
  `insert into audit_batches (number, last_xid, last_audit_id, entry_count, hash, signature, version, at)
   values ($1, $2::xid8, $3, $4, $5, $6, $7, now())
       on conflict do nothing
   returning number`,
)

export type Batch = {
  number: number
  last_xid: string
  last_audit_id: string
  entry_count: number
  hash: string
  signature: string
  /** Which names its hash covers; undefined: the first. */
  version?: number
}

export type BatchRow = Omit<Batch, 'version'> & { version: number | null }

export const BEGINNING: Batch = { number: 0, last_xid: '0', last_audit_id: '', entry_count: 0, hash: '', signature: '' }

export const toBatch = ({ version, ...batch }: BatchRow): Batch => (version === null ? batch : { ...batch, version })

type Context = { db: Queryable; auditHeads: AuditHeads; log?: Log }

/**
 * Seals settled entries batch by batch, and logs the newest head: anyone who keeps the log elsewhere can detect a
 * truncated tail. Of two concurrent workers, one seals the entries. While an older program runs, which could not verify
 * anything else, batches are of the first version.
 */
export async function sealAudit({ db, auditHeads, log }: Context): Promise<void> {
  for (let previous = (await findNewest(db)) ?? BEGINNING; ; ) {
    const entries = await db.query<Entry>(UNSEALED, [previous.last_xid, previous.last_audit_id, BATCH_SIZE])
    const last = entries.at(-1)
    if (!last) return
    const version = (await listProgramsBefore(db, SINCE)).length === 0 ? VERSION : undefined
    const head = { number: previous.number + 1, hash: hashBatch(previous.hash, encodeEntries(entries, version)) }
    const position = { last_xid: String(last.xid), last_audit_id: String(last.audit_id), entry_count: entries.length }
    const batch: Batch = { ...head, ...position, signature: auditHeads.sign(head), ...(version && { version }) }
    const { number, last_xid, last_audit_id, entry_count, hash, signature } = batch
    const values = [number, last_xid, last_audit_id, entry_count, hash, signature, version ?? null]
    const sealed = await db.query(INSERT, values)
    if (sealed.length === 0) return
    log?.info({ audit_head: headText(head) }, 'audit sealed')
    if (entries.length < BATCH_SIZE) return
    previous = batch
  }
}

export async function findNewest(db: Queryable): Promise<Batch | undefined> {
  return (await db.query<BatchRow>(NEWEST)).map(toBatch)[0]
}

export const headText = ({ number, hash }: AuditHead): string => `${number}:${hash}`

function encodeEntries(entries: readonly Entry[], version: Batch['version']): string[] {
  const namesOf = ({ credential_id: credentialId }: Entry) =>
    version === VERSION && credentialId !== null ? NAMES : FIRST_NAMES
  return entries.map((entry) => JSON.stringify(namesOf(entry).map((name) => entry[name])))
}

export function entryIn(line: string): Entry {
  const values = JSON.parse(line) as (string | null)[]
  const names = values.length > FIRST_NAMES.length ? NAMES : FIRST_NAMES
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])) as Entry
}

/** Returns the hash of a batch: it covers the hash before and each entry, a line of JSON. */
export function hashBatch(previous: string, lines: readonly string[]): string {
  const hash = createHash('sha256').update(previous)
  for (const line of lines) hash.update('\n').update(line)
  return hash.digest('hex')
}

/** Returns the entries of a batch as they are hashed: those after the previous batch, up to its last. */
export async function readLines(db: Queryable, previous: Batch, batch: Batch): Promise<string[]> {
  const { last_xid, last_audit_id, version } = batch
  const position = [previous.last_xid, previous.last_audit_id, last_xid, last_audit_id]
  return encodeEntries(await db.query<Entry>(BETWEEN, position), version)
}

type Verification = { head?: AuditHead | undefined; onProgress?: (batches: number, all: number) => void }
type AuditReport = { batches: number; entries: number; head: AuditHead | undefined; wrong: string[] }

/**
 * Verifies that the sealed entries are unchanged. `head` is one kept elsewhere: the chain must contain it. `onProgress`
 * gets the number of verified batches. Unsealed entries are not checked.
 */
export async function verifyAudit(
  { db, auditHeads }: Context,
  { head, onProgress = () => {} }: Verification = {},
): Promise<AuditReport> {
  const report: AuditReport = { batches: 0, entries: 0, head: undefined, wrong: [] }
  const wrong = (number: number, message: string) => void report.wrong.push(`batch ${number}: ${message}`)
  const newest = (await findNewest(db)) ?? BEGINNING
  let previous = BEGINNING
  let isHeadKnown = true
  for (;;) {
    const batches = (await db.query<BatchRow>(FOLLOWING, [previous.number])).map(toBatch)
    for (const batch of batches) {
      const { number, hash } = batch
      const entries = await readLines(db, previous, batch)
      if (number !== previous.number + 1) wrong(number, `batch ${previous.number + 1} is missing`)
      if (entries.length !== batch.entry_count)
        wrong(number, `${entries.length} entries instead of ${batch.entry_count}`)
      else if (hashBatch(previous.hash, entries) !== hash) wrong(number, 'entries were changed')
      const signed = auditHeads.check({ number, hash }, batch.signature)
      if (signed === 'invalid') wrong(number, 'its signature is invalid')
      isHeadKnown = signed === 'valid'
      if (head?.number === number && head.hash !== hash) wrong(number, 'its hash differs from --head')
      report.batches++
      report.entries += entries.length
      report.head = { number, hash }
      previous = batch
      onProgress(report.batches, newest.number)
    }
    if (batches.length === 0) break
  }
  if (head && head.number > previous.number) wrong(head.number, 'missing; the end of the audit was truncated')
  if (!isHeadKnown) wrong(previous.number, 'the key that sealed the newest batch is not in SIGNING_KEYS')
  return report
}
