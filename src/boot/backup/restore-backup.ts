import { createReadStream, existsSync } from 'node:fs'
import { chown, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { BackupConfig } from '../../settings/config.ts'
import { type Entry, malformed } from '../../kernel/backup/tar.ts'
import { restoreMark } from '../../kernel/embedded-postgres/embedded.ts'
import { prepareFolder, serverAccount } from '../../kernel/embedded-postgres/embedded-home.ts'
import { isAlive } from '../../kernel/process.ts'
import { StartError } from '../../kernel/start-error.ts'
import { flushFolder, ignoreMissing } from '../../kernel/storage/folder-storage.ts'
import { CLUSTER, DOCUMENTS } from './contents.ts'
import { readBackup, type Summary } from './read-backup.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** A name that is there already, in another way, or that no folder takes. */
const IMPOSSIBLE = ['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG']

/**
 * Restores a backup into a data folder that does not exist yet, or is empty. Everything is written alongside it and renamed when the
 * whole backup was read and is right, so a restore that was killed leaves nothing in place and can be repeated.
 */
export async function restoreBackup(
  config: BackupConfig,
  path: string,
  onProgress: (done: number, all: number) => void,
): Promise<Summary> {
  const { dataDir, passphrase } = config
  await refuseToOverwrite(dataDir, 'DATA_DIR')
  const apart = config.documents.startsWith(`${dataDir}/`) ? undefined : config.documents
  if (apart !== undefined) await refuseToOverwrite(apart, 'DOCUMENT_FOLDER')
  const staging = await newStaging(dataDir)
  const documents = apart === undefined ? join(staging, relative(dataDir, config.documents)) : await newStaging(apart)
  try {
    const server = await prepareFolder(staging, serverAccount())
    await mkdir(join(server, CLUSTER), { mode: FOLDER_MODE })
    const toPath = (name: string) => {
      const [part = '', ...rest] = name.split('/')
      const root = part === CLUSTER ? join(server, CLUSTER) : part === DOCUMENTS ? documents : join(staging, part)
      return join(root, ...rest)
    }
    const { size } = await stat(path)
    const file = createReadStream(path)
    const summary = await readBackup(passphrase, file, async (entry) => {
      await write(entry, toPath(entry.name)).catch((error: NodeJS.ErrnoException) => {
        throw IMPOSSIBLE.includes(error.code ?? '') ? malformed() : error
      })
      onProgress(file.bytesRead, size)
    })
    refuseOtherPlatform(summary)
    if (!existsSync(join(server, CLUSTER, 'global', 'pg_control')))
      throw new StartError('The backup has no whole database.')
    await giveTo(join(server, CLUSTER))
    // With the database in place, so that none is ever there without it.
    await writeFile(restoreMark(staging), '', { flag: 'wx', mode: FILE_MODE, flush: true })
    if (apart !== undefined) await rename(documents, apart)
    try {
      await rename(staging, dataDir)
    } catch (error) {
      if (apart !== undefined) await rename(apart, documents)
      throw notRenamed(error as NodeJS.ErrnoException, dataDir)
    }
    await flushFolder(dirname(apart ?? dataDir))
    await flushFolder(dirname(dataDir))
    return summary
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    if (apart !== undefined) await rm(documents, { recursive: true, force: true })
    throw error
  }
}

/** A mount point, such as a volume of a container, cannot be replaced by a folder. */
const notRenamed = (error: NodeJS.ErrnoException, folder: string) =>
  error.code === 'EBUSY' ? new StartError(`${folder} is a mount point: set DATA_DIR to a folder inside it.`) : error

async function refuseToOverwrite(folder: string, setting: string): Promise<void> {
  const entries = await readdir(folder).catch(ignoreMissing)
  if (entries !== undefined && entries.length > 0)
    throw new StartError(
      `${folder} is not empty. A restore overwrites nothing: set ${setting} to a new folder, or move this one away.`,
    )
}

/** Makes a folder alongside the target, and removes those of restores that were killed. */
async function newStaging(target: string): Promise<string> {
  const [parent, prefix] = [dirname(target), `${basename(target)}.restore-`]
  await mkdir(parent, { recursive: true })
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : 0
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) await rm(join(parent, name), { recursive: true })
  }
  const staging = join(parent, `${prefix}${process.pid}`)
  await mkdir(staging, { mode: 0o755 })
  return staging
}

async function write({ isFolder, body }: Entry, path: string): Promise<void> {
  if (isFolder) {
    await mkdir(path, { recursive: true, mode: FOLDER_MODE })
    for await (const piece of body) void piece
    return
  }
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE })
  await using file = await open(path, 'wx', FILE_MODE)
  for await (const piece of body) await file.writeFile(piece)
  await file.sync()
}

function refuseOtherPlatform({ platform }: Summary): void {
  const thisPlatform = `${process.platform}-${process.arch}`
  if (platform !== thisPlatform)
    throw new StartError(
      `The backup was made on ${platform}, and its database runs there only; this is ${thisPlatform}.`,
    )
}

/** Started by root, the server runs as another user, who must own its files. */
async function giveTo(folder: string): Promise<void> {
  const { uid, gid } = serverAccount()
  if (uid === undefined || gid === undefined) return
  await chown(folder, uid, gid)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid)
}
