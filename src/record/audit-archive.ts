import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { AuditHeads } from '../access/audit-heads.ts'
import { sealStream, unsealStream } from '../kernel/crypto/sealed-stream.ts'
import type { Vault, WrappedKey } from '../kernel/crypto/vault.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import { FileTooLargeError, type Storage } from '../kernel/storage/storage.ts'
import { type Batch, hashBatch } from './seal-audit.ts'

/** Only characters of a wrapped key, because errors quote its beginning on a terminal. */
const HEADER = /^BANYAN AUDIT 1 ([\w.+/=-]+)\n/
const HEADER_BYTES_MAX = 1_000
const FOLDER = 'audit/'
const NUMBER_DIGITS = 12

/** A batch with its entries, each as the chain hashes it. */
type ArchivedBatch = Batch & { lines: string[] }

/** Consecutive batches, and the hash of the one before the first: all that verifies them, without the database. */
export type Archive = { previous_hash: string; batches: ArchivedBatch[] }

export type ArchiveContext = { storage: Storage; vault: Vault }
export type ArchiveSource = { storage: Pick<Storage, 'get'>; vault: Vault }

/** Names a file after its first batch: a reader of one knows where the next is. */
export const toArchiveId = (firstNumber: number): string =>
  `${FOLDER}${String(firstNumber).padStart(NUMBER_DIGITS, '0')}`

/** Returns the number of the first batch; NaN for another name. */
export const numberIn = (archiveId: string): number => Number.parseInt(archiveId.slice(FOLDER.length), 10)

/** The data key in the header is part of it, so that another header does not open. */
const archiveAddress = (archiveId: string, headerKey: WrappedKey) => `audit_archives:${archiveId}:${headerKey}`

type Place = { archive_id: string; data_key: WrappedKey }

/**
 * Stores an archive, sealed: a header with the wrapped data key, by which it can be opened without the database, and an
 * uploaded file of version 1 with gzipped lines. docs/stored-formats.md describes them.
 */
export async function putArchive({ storage, vault }: ArchiveContext, place: Place, archive: Archive): Promise<void> {
  const { archive_id, data_key } = place
  const batches = archive.batches.flatMap(({ lines, ...batch }) => [JSON.stringify(batch), ...lines])
  const text = [JSON.stringify({ previous_hash: archive.previous_hash }), ...batches].join('\n')
  const plain = Readable.from([await promisify(gzip)(text)])
  await storage.put(
    archive_id,
    (async function* () {
      yield Buffer.from(`BANYAN AUDIT 1 ${data_key}\n`)
      yield* sealStream(vault.unwrap(data_key), archiveAddress(archive_id, data_key), plain)
    })(),
  )
}

/** An archive as found in the storage: what it contains, with its key, or what is wrong with it. */
type Found = { archive: Archive; data_key: WrappedKey } | { defect: string }

/**
 * Reads an archive; undefined when there is no file. It opens with this data key, as wrapped by the present master key,
 * or else with the one in its header, as wrapped when it was written.
 */
export async function getArchive(
  { storage, vault }: ArchiveSource,
  archiveId: string,
  dataKey?: WrappedKey,
): Promise<Found | undefined> {
  const stream = await storage.get(archiveId)
  if (!stream) return undefined
  const bytes = await buffer(stream).catch(undefinedWhenTooLarge)
  if (!bytes) return { defect: 'altered: it is larger than an archive can be' }
  const [header = '', headerKey = ''] = HEADER.exec(bytes.toString('latin1', 0, HEADER_BYTES_MAX)) ?? []
  if (header === '') return { defect: 'altered: it has no header' }
  const data_key = dataKey ?? headerKey
  try {
    vault.unwrap(data_key)
  } catch {
    return { defect: `its data key does not open; is the master key ${data_key.split('.', 1)[0]} in MASTER_KEYS?` }
  }
  try {
    const sealed = Readable.from([bytes.subarray(header.length)])
    const zipped = await buffer(unsealStream(vault.unwrap(data_key), archiveAddress(archiveId, headerKey), sealed))
    return { archive: parse(await promisify(gunzip)(zipped)), data_key }
  } catch {
    return { defect: 'altered: it does not open' }
  }
}

function undefinedWhenTooLarge(error: unknown): undefined {
  if (!(error instanceof ProblemError && error.cause instanceof FileTooLargeError)) throw error
}

function parse(text: Buffer): Archive {
  const [first = '', ...lines] = text.toString().split('\n')
  const { previous_hash } = JSON.parse(first) as Pick<Archive, 'previous_hash'>
  const batches: ArchivedBatch[] = []
  for (let at = 0; at < lines.length; ) {
    const batch = JSON.parse(lines[at] ?? '') as Batch
    batches.push({ ...batch, lines: lines.slice(at + 1, at + 1 + batch.entry_count) })
    at += 1 + batch.entry_count
  }
  return { previous_hash, batches }
}

/** What an archive has to agree with; `previousHash` is undefined when the archive before is missing. */
type Chain = {
  auditHeads: AuditHeads
  first: number
  stored: readonly Batch[]
  previousHash: string | undefined
}

/** Returns what is wrong with an archive: in itself, or compared with the one before it and with the database's batches. */
export function findDefects(
  { previous_hash, batches }: Archive,
  { auditHeads, first, stored, previousHash }: Chain,
): string[] {
  const defects: string[] = []
  const hashes = new Map(stored.map(({ number, hash }) => [number, hash]))
  const unknown = batches.filter(({ number }) => !hashes.has(number))
  if (previousHash !== undefined && previousHash !== previous_hash) defects.push('it does not follow the one before')
  let previous = previous_hash
  for (const [index, { number, hash, signature, lines, entry_count }] of batches.entries()) {
    if (number !== first + index) defects.push(`batch ${first + index} is missing`)
    if (lines.length !== entry_count || hashBatch(previous, lines) !== hash) defects.push(`batch ${number} was changed`)
    if (auditHeads.check({ number, hash }, signature) === 'invalid')
      defects.push(`the signature of batch ${number} is invalid`)
    if ((hashes.get(number) ?? hash) !== hash) defects.push(`batch ${number} differs from the database's`)
    previous = hash
  }
  const [from, to] = [unknown[0], unknown.at(-1)]
  if (from && to) defects.push(`the database lacks batches ${from.number} to ${to.number}`)
  return defects
}
