import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { link, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { BackupConfig } from '../../settings/config.ts'
import { sealBackup } from '../../kernel/backup/sealed-file.ts'
import { type Entry, readTar, writeTar } from '../../kernel/backup/tar.ts'
import { systemClock } from '../../kernel/clock.ts'
import { startBaseBackup } from '../../kernel/embedded-postgres/base-backup.ts'
import { hasCluster, startEmbedded } from '../../kernel/embedded-postgres/embedded.ts'
import { flushFolder, ignoreMissing, UNFINISHED } from '../../kernel/storage/folder-storage.ts'
import { BUILD } from '../../kernel/program-version.ts'
import { StartError } from '../../kernel/start-error.ts'
import { ABOUT, CLUSTER, DOCUMENTS, FORMAT, KEYS, MANIFEST } from './contents.ts'
import { readBackup, type Summary, watched } from './read-backup.ts'

/** Sockets and their locks are no data, and would name a process of this machine. */
const SOCKET = /^\.s\.PGSQL\./

type Progress = (done: number, all: number) => void

/**
 * Writes the embedded database, the documents in their folder and the keys made in the data folder into one encrypted file, and
 * reads it again. Programs may run. The file appears under its name only when it is complete and verified.
 */
export async function createBackup(config: BackupConfig, path: string, onProgress: Progress): Promise<Summary> {
  if (existsSync(path)) throw new StartError(`${path} exists already. A backup never overwrites a file.`)
  if (!hasCluster(config.dataDir))
    throw new StartError(`There is no database in ${config.dataDir}. Set DATA_DIR to the data folder of the program.`)
  const partial = `${path}.partial`
  await rm(partial, { force: true })
  try {
    const hash = createHash('sha256')
    await using closers = new AsyncDisposableStack()
    const { ownerUrl, stop } = await startEmbedded({ dataDir: config.dataDir })
    closers.defer(stop)
    const content = watched(writeTar(readEntries(config, ownerUrl, onProgress)), (bytes) => hash.update(bytes))
    await pipeline(
      content,
      createGzip({ level: 1 }),
      (zipped: AsyncIterable<Uint8Array>) => sealBackup(config.passphrase, zipped),
      createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }),
    )
    const summary = await readBackup(config.passphrase, createReadStream(partial))
    if (summary.sha256 !== hash.digest('hex'))
      throw new StartError('The backup was not written as it was read. Try again.')
    await link(partial, path) // fails if the file exists by now
    await flushFolder(dirname(path))
    return summary
  } finally {
    await rm(partial, { force: true })
  }
}

/**
 * The documents come before and after the database, so that a row has its file whichever of the two was written or deleted first.
 */
async function* readEntries(config: BackupConfig, ownerUrl: string, onProgress: Progress): AsyncGenerator<Entry> {
  const about = {
    format: FORMAT,
    version: BUILD,
    platform: `${process.platform}-${process.arch}`,
    made_at: systemClock.now(),
  }
  yield toFile(ABOUT, Buffer.from(JSON.stringify(about)))
  const names = new Set<string>()
  yield* folderInto(DOCUMENTS, config.documents, names)
  yield* databaseFrom(ownerUrl, onProgress)
  yield* folderInto(DOCUMENTS, config.documents, names)
  yield* folderInto(KEYS, join(config.dataDir, 'keys'), names)
}

async function* databaseFrom(ownerUrl: string, onProgress: Progress): AsyncGenerator<Entry> {
  const backup = await startBaseBackup(ownerUrl)
  try {
    let done = 0
    for await (const { name, body, ...entry } of readTar(backup.tar)) {
      if (SOCKET.test(name)) continue
      const counted = watched(body, (piece) => onProgress((done += piece.length), backup.size))
      yield { ...entry, name: `${CLUSTER}/${name}`, body: counted }
    }
    yield toFile(MANIFEST, Buffer.from(backup.manifest()))
  } finally {
    await backup.close()
  }
}

const toFile = (name: string, bytes: Buffer): Entry => ({
  name,
  size: bytes.length,
  isFolder: false,
  body: Readable.from([bytes]),
})

/** Adds the files below a folder that were not added yet. A file that is deleted until it is read is left out. */
async function* folderInto(prefix: string, folder: string, names: Set<string>): AsyncGenerator<Entry> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreMissing)
  for (const entry of entries ?? []) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const name = `${prefix}${path.slice(folder.length)}`
    if (names.has(name) || name.includes(`/${UNFINISHED}/`)) continue
    const opened = await open(path, 'r').catch(ignoreMissing)
    if (opened === undefined) continue
    await using file = opened
    names.add(name)
    const { size } = await file.stat()
    // Files are replaced, never written in place, so the size is that of what is read.
    const body = size === 0 ? Readable.from([]) : file.createReadStream({ autoClose: false, end: size - 1 })
    yield { name, size, isFolder: false, body }
  }
}
