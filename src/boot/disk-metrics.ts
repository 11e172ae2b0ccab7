import type { Config } from '../settings/config.ts'
import { type DiskSpace, readDiskSpace } from '../kernel/disk-space.ts'
import type { Metrics } from '../kernel/metrics.ts'

const RESPONSE_MS_MAX = 1_000

export const DISK_GAUGES = {
  disk_free_bytes: {
    help: 'Free space of the disk with a folder of this process: documents, database (the embedded one)',
    labels: ['folder'],
  },
  disk_size_bytes: { help: 'Size of that disk', labels: ['folder'] },
}

/** Watches the disks that this process writes to. One that does not respond, such as a share, has no value. */
export function watchDisks(metrics: Metrics, { storage, dataDir, databaseUrl }: Config): void {
  const disks = [
    ...(storage.kind === 'folder' ? [{ folder: 'documents', read: oneAtATime(storage.folder) }] : []),
    ...(databaseUrl === null ? [{ folder: 'database', read: oneAtATime(dataDir) }] : []),
  ]
  metrics.watch(DISK_GAUGES, async () => {
    const spaces = await Promise.all(
      disks.map(async ({ folder, read }) => ({ labels: { folder }, space: await read() })),
    )
    const toSamples = (name: keyof DiskSpace) =>
      spaces.flatMap(({ labels, space }) => (space === undefined ? [] : [{ labels, value: space[name] }]))
    return { disk_free_bytes: toSamples('free_bytes'), disk_size_bytes: toSamples('size_bytes') }
  })
}

/** A disk that hangs keeps a thread of the process until it responds, so it is not asked again until then. */
function oneAtATime(folder: string): () => Promise<DiskSpace | undefined> {
  let reading: Promise<DiskSpace | undefined> | undefined
  return () => {
    reading ??= readDiskSpace(folder)
      .catch(() => undefined)
      .finally(() => (reading = undefined))
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), RESPONSE_MS_MAX).unref())
    return Promise.race([reading, late])
  }
}
