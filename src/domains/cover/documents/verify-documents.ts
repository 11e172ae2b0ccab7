import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { safeMessage } from '../../../kernel/safe-message.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { StartError } from '../../../kernel/start-error.ts'
import type { Storage } from '../../../kernel/storage/storage.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { type CurrentFile, countCurrentFiles, isCurrentFile, listCurrentFiles, toStorageKey } from './store.ts'
import { LostFileError, unsealFile } from './unseal-file.ts'

const BATCH = 200
/** Each holds a part of 64 KiB, and a connection to the storage. */
const AT_ONCE = 8
/** A storage that fails this often in a row is down. */
const FAILURES_MAX = 20

/** An upload that cannot be served: the storage lacks it, has other bytes, or could not be reached for it. */
export type DocumentDefect = { defect: 'missing' | 'damaged' | 'unreached'; object: string; policy_id: string }

type Context = { db: Queryable; vault: Vault; storage: Storage }

type Listeners = { onDefect: (defect: DocumentDefect) => void; onProgress: (done: number, all: number) => void }

/**
 * Reads every upload that serves a document, some at a time, to its last byte. Returns how many there are. Throws
 * `StartError` when the storage is down.
 */
export async function verifyDocuments(context: Context, { onDefect, onProgress }: Listeners): Promise<number> {
  const all = await countCurrentFiles(context.db)
  let [done, failures] = [0, 0]
  const check = async (file: CurrentFile) => {
    const { defect, cause } = await findDefect(context, file)
    failures = defect === 'unreached' ? failures + 1 : 0
    if (failures >= FAILURES_MAX) throw new StartError(`The document storage cannot be read: ${cause}.`)
    if (defect) onDefect({ defect, object: toStorageKey(file.file_id), policy_id: file.policy_id })
    onProgress(++done, all)
  }
  for (let after = { user_id: '', file_id: '' }; ; ) {
    const batch = await listCurrentFiles(context.db, after, BATCH)
    const left = batch.values()
    const checkRest = async () => {
      for (const file of left) await check(file)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, checkRest))
    after = batch.at(-1) ?? after
    if (batch.length < BATCH) return done
  }
}

type Found = { defect?: DocumentDefect['defect']; cause?: string }

async function findDefect({ db, vault, storage }: Context, file: CurrentFile): Promise<Found> {
  const { user_id, file_id, data_key } = file
  try {
    const owner = { userId: decodeUserId(user_id), key: keyFrom(vault, data_key) }
    for await (const _ of await unsealFile({ storage }, owner, file_id));
    return {}
  } catch (error) {
    if (error instanceof LostFileError) {
      // Replaced or erased since it was listed, its file may be deleted.
      return (await isCurrentFile(db, user_id, file_id)) ? { defect: error.defect } : {}
    }
    if (!(error instanceof ProblemError)) throw error
    return { defect: 'unreached', cause: safeMessage(error.cause instanceof Error ? error.cause : error) }
  }
}

function keyFrom(vault: Vault, wrapped: string) {
  try {
    return vault.unwrap(wrapped)
  } catch (error) {
    throw new LostFileError('damaged', error)
  }
}
