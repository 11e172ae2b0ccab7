import type { Deps } from '../../../record/index.ts'
import { listDueFiles, removeFromDeletionQueue, toStorageKey } from './store.ts'

const BATCH = 200

/**
 * Deletes the files of replaced documents and of uploads that were never completed. Harmless when run concurrently. A
 * file that cannot be deleted does not block the others; the first error is thrown at the end.
 */
export async function deleteUnusedFiles({ db, storage }: Pick<Deps, 'db' | 'storage'>): Promise<void> {
  const skipped: string[] = [] // not listed again in this run
  const failures: unknown[] = []
  for (;;) {
    const due = await listDueFiles(db, { without: skipped, limit: BATCH })
    for (const fileId of due) {
      try {
        await storage.delete(toStorageKey(fileId))
        await removeFromDeletionQueue(db, fileId)
      } catch (error) {
        skipped.push(fileId)
        failures.push(error)
      }
    }
    if (due.length < BATCH) break
  }
  if (failures.length > 0) throw failures[0]
}
