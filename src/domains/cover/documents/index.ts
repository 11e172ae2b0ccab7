export { deleteUnusedFiles } from './delete-unused-files.ts'
export type { Cover, DocumentedPolicy, FindUploadTarget, UploadTarget } from './documented-policy.ts'
export type { PolicySnapshot } from './policy-snapshot.ts'
export { documentUrls, policyNumber } from './present.ts'
export { cardCheckRoutes, documentRoutes } from './routes.ts'
export { rehashCards } from './rehash-cards.ts'
export { rowsOfSnapshot } from './rows-of-snapshot.ts'
export { DocumentUrls } from './schemas.ts'
export {
  type CardHolder,
  decodeUploads,
  type DocumentFile,
  ERASE_DOCUMENTS,
  listUploads,
  SNAPSHOT,
  SNAPSHOT_PARTS,
  type Upload,
  uploadsOf,
} from './store.ts'
