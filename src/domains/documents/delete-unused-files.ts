import type { Deps } from '../../deps.ts'
import { forgetFile, listDueFiles, storageKeyOf } from './store.ts'

const FILES_AT_ONCE = 1_000

/**
 * Deletes the files of replaced documents, and of uploads that never came to an end. Harmless when two do it at once. A
 * file that cannot be deleted does not keep the others waiting; the first failure is thrown when they are done.
 */
export async function deleteUnusedFiles({ db, storage }: Pick<Deps, 'db' | 'storage'>): Promise<void> {
  const failures: unknown[] = []
  for (const fileId of await listDueFiles(db, FILES_AT_ONCE)) {
    try {
      await storage.delete(storageKeyOf(fileId))
      await forgetFile(db, fileId)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
