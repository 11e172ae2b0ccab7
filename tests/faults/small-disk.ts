import { execFile, spawnSync } from 'node:child_process'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** The database needs about 100 MiB of it, its WAL up to 64 more. */
const SIZE = '384m'
const CHUNK = Buffer.alloc(1 << 20)
const AGAIN_MS = 20

/** A file system of bounded size for the database of this run only: filling it harms nothing else. */
export type SmallDisk = {
  folder: string
  /** Takes all remaining space, and whatever is freed meanwhile, for this long. */
  fullFor(duration_ms: number): Promise<void>
  unmount(): void
}

/** Mounts a tmpfs on a new folder. Throws where that is not allowed: it needs root, and a container that permits it. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk> {
  await mkdir(folder)
  const options = ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'banyan-faults', folder]
  await promisify(execFile)('mount', options).catch((cause: unknown) => {
    throw new Error('the disk of PostgreSQL can only be filled where this program may mount a tmpfs', { cause })
  })
  let isMounted = true
  // Processes that still use it keep it until they have ended.
  const unmount = () => {
    if (isMounted) spawnSync('umount', ['--lazy', folder])
    isMounted = false
  }
  process.once('exit', unmount)
  return {
    folder,
    unmount,
    async fullFor(duration_ms) {
      const path = join(folder, 'filler')
      const file = await open(path, 'w')
      try {
        for (const end = performance.now() + duration_ms; performance.now() < end; await sleep(AGAIN_MS)) {
          await fill(file)
        }
      } finally {
        await file.close()
        await rm(path)
      }
    },
  }
}

async function fill(file: Awaited<ReturnType<typeof open>>): Promise<void> {
  try {
    for (;;) await file.write(CHUNK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
