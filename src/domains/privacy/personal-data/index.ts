import { cancelErasure } from './cancel-erasure.ts'
import { eraseUser } from './erase-user.ts'
import { exportUser } from './export-user.ts'
import { previewUserErasure } from './preview-user-erasure.ts'

export { applyErasures, listErasures, parseTombstones, stillHeld } from './apply-erasures.ts'
export { applyRevocations, parseRestoreList } from './apply-revocations.ts'
export type { FieldErasure } from './field-erasure.ts'
export { type ErasureRunContext, runErasures } from './run-erasures.ts'
export { listHeld } from './list-held.ts'
export { unsealHeld } from './unseal-held.ts'
export { readRestoreList } from './read-restore-list.ts'
export { createRestoreListWriter } from './create-restore-list-writer.ts'
export { erasureStatements } from './store.ts'

export const personalDataOperations = [exportUser, previewUserErasure, eraseUser, cancelErasure]
