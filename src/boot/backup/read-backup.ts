import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { Readable } from 'node:stream'
import { unsealBackup } from '../../kernel/backup/sealed-file.ts'
import { type Entry, readTar } from '../../kernel/backup/tar.ts'
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

type About = Pick<Summary, 'version' | 'platform' | 'made_at'> & { format: number }
type Manifest = { Files: { Path: string; Size: number; Checksum: string }[] }

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
  let about: About | undefined
  let manifest: Manifest | undefined
  const archive = watched(gunzipped(unsealBackup(passphrase, sealed)), (bytes) => whole.update(bytes))
  for await (const entry of readTar(archive)) {
    const [part] = entry.name.split('/', 1)
    if (entry.name === ABOUT) {
      about = JSON.parse(await text(Readable.from(entry.body))) as About
      if (about.format !== FORMAT)
        throw new StartError(`The backup was made by ${about.version}. Use that version or a later one.`)
      continue
    }
    if (about === undefined) throw new StartError('The backup is malformed.')
    if (part === DOCUMENTS) files.documents += 1
    else if (part === KEYS) files.keys += 1
    else if (part === CLUSTER) files.database += Number(!entry.isFolder)
    else throw new StartError('The backup is malformed.')
    const content: Buffer[] = []
    const hash = createHash('sha256')
    const isManifest = entry.name === MANIFEST
    const seen = (bytes: Buffer) => (isManifest ? content.push(bytes) : hash.update(bytes))
    await take({ ...entry, body: watched(entry.body, seen) })
    if (isManifest) manifest = JSON.parse(Buffer.concat(content).toString()) as Manifest
    hashes.set(entry.name, hash.digest('hex'))
  }
  if (about === undefined || manifest === undefined) throw new StartError('The backup is malformed.')
  compare(manifest, hashes)
  const { version, platform, made_at } = about
  return { version, platform, made_at, files, sha256: whole.digest('hex') }
}

/** Compares the files of the database with the hashes that the server has made of them. */
function compare({ Files: listed }: Manifest, hashes: ReadonlyMap<string, string>): void {
  const wrong = listed.filter(({ Path: path, Checksum: hash }) => {
    const found = hashes.get(`${CLUSTER}/${path}`)
    return found !== hash && !path.startsWith('.s.PGSQL.')
  })
  if (wrong.length > 0)
    throw new StartError(`${wrong.length} files of the database are missing in the backup, or differ.`)
}

function gunzipped(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const input = Readable.from(source, { objectMode: false })
  const gunzip = createGunzip()
  input.on('error', (error) => gunzip.destroy(error))
  return input.pipe(gunzip)
}

/** Passes a stream on, and each piece of it to `seen` before. */
export async function* watched(
  source: AsyncIterable<Buffer>,
  seen: (bytes: Buffer) => unknown,
): AsyncGenerator<Buffer> {
  for await (const bytes of source) {
    seen(bytes)
    yield bytes
  }
}
