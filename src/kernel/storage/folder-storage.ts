import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import { assertKey, guarded, orUnavailable, type Storage, writeAll } from './storage.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** No key has a dot: a file never has the name of a folder that another key needs, nor of the one for what is unfinished. */
const ENDING = '.file'
const UNFINISHED = '.unfinished'
const UNFINISHED_MS_MAX = 60 * 60_000

/**
 * Files in a folder, which is made when it is not there. A file is written elsewhere in it, flushed to the disk and
 * renamed, so that under its key stands the old one or the new one, whole, whenever the power fails.
 */
export async function openFolderStorage({ folder }: { folder: string }): Promise<Storage> {
  const unfinished = resolve(folder, UNFINISHED)
  await makeFolder(unfinished)
  await removeAbandoned(unfinished)
  const pathOf = (key: string) => {
    assertKey(key)
    return resolve(folder, `${key}${ENDING}`)
  }

  return {
    async put(key, bytes) {
      const path = pathOf(key)
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
      const path = pathOf(key)
      return await orUnavailable(async () => {
        const file = await open(path, 'r').catch(ignoreMissing)
        if (file) return guarded(file.createReadStream())
        await stat(unfinished) // a folder that is not mounted holds nothing, and would say of every file that there is none
        return undefined
      })
    },

    async delete(key) {
      const path = pathOf(key)
      await orUnavailable(async () => {
        await stat(unfinished)
        await rm(path, { force: true })
        await flushFolder(dirname(path)).catch(ignoreMissing)
      })
    },
  }
}

/** What a killed process left; an hour, because another process may be writing in this folder just now. */
async function removeAbandoned(unfinished: string): Promise<void> {
  const before_ms = systemClock.now().getTime() - UNFINISHED_MS_MAX
  for (const name of await readdir(unfinished)) {
    const path = join(unfinished, name)
    const found = await stat(path).catch(ignoreMissing)
    if (found && found.mtimeMs < before_ms) await rm(path, { force: true })
  }
}

/** Makes the folders down to this one, and flushes those that got a new entry. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushFolder(dirname(made))
}

/** A rename is kept through a power failure only once the folder is flushed, not the file alone. */
async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
