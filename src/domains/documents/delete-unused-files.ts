import type { Deps } from '../../deps.ts'
import { listDueFiles, removeFromDeletionQueue, storageKeyOf } from './store.ts'

const FILES_AT_ONCE = 200

/**
 * Deletes the files of replaced documents, and of uploads that never came to an end. Harmless when two do it at once. A
 * file that cannot be deleted does not keep the others waiting; the first failure is thrown when they are done.
 */
export async function deleteUnusedFiles({ db, storage }: Pick<Deps, 'db' | 'storage'>): Promise<void> {
  const without: string[] = [] // and not asked for again in this run
  const failures: unknown[] = []
  for (;;) {
    const due = await listDueFiles(db, { without, limit: FILES_AT_ONCE })
    for (const fileId of due) {
      try {
        await storage.delete(storageKeyOf(fileId))
        await removeFromDeletionQueue(db, fileId)
      } catch (error) {
        without.push(fileId)
        failures.push(error)
      }
    }
    if (due.length < FILES_AT_ONCE) break
  }
  if (failures.length > 0) throw failures[0]
}
