import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import { assertKey, guarded, orUnavailable, type Storage, writeAll } from './storage.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/**
 * Keys have no dots, so a file never has the name of a folder that another key needs, or of the folder for unfinished
 * files.
 */
const ENDING = '.file'
export const UNFINISHED = '.unfinished'
const UNFINISHED_MS_MAX = 60 * 60_000

/**
 * Opens storage in a folder, which is created if missing. A file is written elsewhere in the folder, flushed to disk
 * and renamed, so that after a power failure the key holds the complete old or new file.
 */
export async function createFolderStorage({ folder }: { folder: string }): Promise<Storage> {
  const unfinished = resolve(folder, UNFINISHED)
  await makeFolder(unfinished)
  await removeAbandoned(unfinished)
  const toPath = (key: string) => {
    assertKey(key)
    return resolve(folder, `${key}${ENDING}`)
  }

  return {
    async put(key, bytes) {
      const path = toPath(key)
      const temporary = join(unfinished, randomUUID())
      const file = await orUnavailable(() => open(temporary, 'wx', FILE_MODE))
      try {
        await writeAll(file, bytes)
        await orUnavailable(async () => {
          await file.sync()
          await makeFolder(dirname(path))
          await rename(temporary, path)
          await flushFolder(dirname(path))
        })
      } finally {
        await file.close()
        await rm(temporary, { force: true })
      }
    },

    async get(key) {
      const path = toPath(key)
      return await orUnavailable(async () => {
        const file = await open(path, 'r').catch(ignoreMissing)
        if (file) return guarded(file.createReadStream())
        await stat(unfinished) // throws when the folder is not mounted: every file would seem to be missing
        return undefined
      })
    },

    async delete(key) {
      const path = toPath(key)
      await orUnavailable(async () => {
        await stat(unfinished)
        await rm(path, { force: true })
        await flushFolder(dirname(path)).catch(ignoreMissing)
      })
    },
  }
}

/**
 * Deletes unfinished files of killed processes, after an hour, because other processes may be writing in this folder.
 */
async function removeAbandoned(unfinished: string): Promise<void> {
  const before_ms = systemClock.now().getTime() - UNFINISHED_MS_MAX
  for (const name of await readdir(unfinished)) {
    const path = join(unfinished, name)
    const stats = await stat(path).catch(ignoreMissing)
    if (stats && stats.mtimeMs < before_ms) await rm(path, { force: true })
  }
}

/** Creates the folders down to this one, and flushes those with a new entry. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushFolder(dirname(made))
}

/** Flushes a folder: a rename survives a power failure only once its folder is flushed, not the file alone. */
export async function flushFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}

/** Returns undefined for a missing file or folder. */
export function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
