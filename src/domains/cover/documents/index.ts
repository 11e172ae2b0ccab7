import { deleteDocumentUpload, deleteHealthCardUpload } from './delete-document-upload.ts'
import { downloadDocument, downloadHealthCard } from './download-document.ts'
import { uploadDocument, uploadHealthCard } from './upload-document.ts'

export { ERASE_CARD_CHECKS } from './card-check-store.ts'
export { type CardChecks, createCardChecks } from './create-card-checks.ts'
export { deleteUnusedFiles } from './delete-unused-files.ts'
export { rehashCards } from './rehash-cards.ts'
export { cardCheckRoutes } from './routes.ts'
export { ERASE_DOCUMENTS, listUploads, SNAPSHOT, type Upload } from './store.ts'
export { type DocumentDefect, verifyDocuments } from './verify-documents.ts'

export const documentOperations = [
  downloadDocument,
  downloadHealthCard,
  uploadDocument,
  uploadHealthCard,
  deleteDocumentUpload,
  deleteHealthCardUpload,
]
