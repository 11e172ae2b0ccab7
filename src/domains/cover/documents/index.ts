import { deleteDocumentUpload } from './delete-document-upload.ts'
import { deleteHealthCardUpload } from './delete-health-card-upload.ts'
import { downloadDocument } from './download-document.ts'
import { downloadHealthCard } from './download-health-card.ts'
import { uploadDocument } from './upload-document.ts'
import { uploadHealthCard } from './upload-health-card.ts'

export { deleteUnusedFiles } from './delete-unused-files.ts'
export { rehashCards } from './rehash-cards.ts'
export { cardCheckRoutes } from './routes.ts'
export { ERASE_DOCUMENTS, listUploads, SNAPSHOT, type Upload } from './store.ts'

export const documentOperations = [
  downloadDocument,
  downloadHealthCard,
  uploadDocument,
  uploadHealthCard,
  deleteDocumentUpload,
  deleteHealthCardUpload,
]
