import { statfs } from 'node:fs/promises'

/** Both as far as this account may use the disk: at 0 free bytes, nothing is written. */
export type DiskSpace = { free_bytes: number; size_bytes: number }

export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bfree, blocks, bsize } = await statfs(folder)
  return { free_bytes: bavail * bsize, size_bytes: (blocks - bfree + bavail) * bsize }
}
