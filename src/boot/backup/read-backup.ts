import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { Readable } from 'node:stream'
import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { unsealBackup } from '../../kernel/backup/sealed-file.ts'
import { type Entry, malformed, readTar } from '../../kernel/backup/tar.ts'
import { StartError } from '../../kernel/start-error.ts'
import { ABOUT, CLUSTER, DOCUMENTS, FORMAT, KEYS, MANIFEST } from './contents.ts'

/** What is known of a backup once it was read to its end. */
export type Summary = {
  version: string
  platform: string
  made_at: string
  files: { database: number; documents: number; keys: number }
  /** Of the archive inside, as it was before compression and encryption. */
  sha256: string
}

const AnyFormat = Type.Object({ format: Type.Number(), version: Type.String() })
const About = Type.Object({ platform: Type.String(), made_at: Type.String(), version: Type.String() })
/** What the server writes of each file; the segments of its log are checked by itself, and not listed. */
const Manifest = Type.Object({ Files: Type.Array(Type.Object({ Path: Type.String(), Checksum: Type.String() })) })
const LOG_FILE = /^cluster\/pg_wal\/(archive_status\/)?[0-9A-F]{24}(\.done)?$/

/** Takes an entry as it comes; it must read the body to its end. */
type Take = (entry: Entry) => Promise<void>

const nothing: Take = async ({ body }) => {
  for await (const piece of body) void piece
}

/**
 * Reads a backup to its end and gives each file to `take`. Throws `StartError` when the file is no backup, was damaged, or lacks a file
 * of the database; whatever was taken until then must be thrown away.
 */
export async function readBackup(passphrase: string, sealed: AsyncIterable<Buffer>, take = nothing): Promise<Summary> {
  const whole = createHash('sha256')
  const hashes = new Map<string, string>()
  const files = { database: 0, documents: 0, keys: 0 }
  let about: Static<typeof About> | undefined
  let manifest: Static<typeof Manifest> | undefined
  const archive = watched(gunzipped(unsealBackup(passphrase, sealed)), (bytes) => whole.update(bytes))
  for await (const entry of readTar(archive)) {
    const [part] = entry.name.split('/', 1)
    if (entry.name === ABOUT) {
      const content = await text(Readable.from(entry.body))
      const { format, version } = parsed(AnyFormat, content)
      if (format !== FORMAT) throw new StartError(`The backup was made by ${version}. Use that version or a later one.`)
      about = parsed(About, content)
      continue
    }
    if (about === undefined || hashes.has(entry.name)) throw malformed()
    if (part === DOCUMENTS) files.documents += 1
    else if (part === KEYS) files.keys += 1
    else if (part === CLUSTER) files.database += Number(!entry.isFolder)
    else throw malformed()
    const content: Uint8Array[] = []
    const hash = createHash('sha256')
    const isManifest = entry.name === MANIFEST
    const consume = (bytes: Uint8Array) => (isManifest ? content.push(bytes) : hash.update(bytes))
    await take({ ...entry, body: watched(entry.body, consume) })
    if (isManifest) manifest = parsed(Manifest, Buffer.concat(content).toString())
    if (!entry.isFolder) hashes.set(entry.name, hash.digest('hex'))
  }
  if (about === undefined || manifest === undefined) throw malformed()
  compare(manifest, hashes)
  const { version, platform, made_at } = about
  return { version, platform, made_at, files, sha256: whole.digest('hex') }
}

/** Compares the files of the database with the hashes that the server has made of them. */
function compare({ Files: listed }: Static<typeof Manifest>, hashes: ReadonlyMap<string, string>): void {
  const wrong = listed.filter(({ Path: path, Checksum: hash }) => {
    const expectedHash = hashes.get(`${CLUSTER}/${path}`)
    return expectedHash !== hash && !path.startsWith('.s.PGSQL.')
  })
  if (wrong.length > 0)
    throw new StartError(`${wrong.length} files of the database are missing in the backup, or differ.`)
  const named = new Set([MANIFEST, ...listed.map(({ Path: path }) => `${CLUSTER}/${path}`)])
  const others = [...hashes.keys()].filter(
    (name) => name.startsWith(`${CLUSTER}/`) && !named.has(name) && !LOG_FILE.test(name),
  )
  if (others.length > 0)
    throw new StartError(`${others.length} files of the database are in the backup that its list does not name.`)
}

function parsed<S extends TSchema>(schema: S, content: string): Static<S> {
  try {
    return Value.Parse(schema, JSON.parse(content))
  } catch {
    throw malformed()
  }
}

async function* gunzipped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const input = Readable.from(source, { objectMode: false })
  const gunzip = createGunzip()
  input.on('error', (error) => gunzip.destroy(error))
  try {
    yield* input.pipe(gunzip) as AsyncIterable<Buffer>
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code?.startsWith('Z_') ? malformed() : error
  }
}

/** Passes a stream on, and each piece of it to `seen` before. */
export async function* watched(
  source: AsyncIterable<Uint8Array>,
  consume: (bytes: Uint8Array) => unknown,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    consume(bytes)
    yield bytes
  }
}
