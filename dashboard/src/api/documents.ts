import { queryOptions } from '@tanstack/react-query'
import { banyan, uploads } from './banyan.ts'
import type { PolicyRef } from './policies.ts'

export type DocumentType =
  | 'policy_certificate'
  | 'customer_information_sheet'
  | 'enrollment_form'
  | `health_card/${string}`

const PDF = 'application/pdf'

/** A document as a file in memory, for a frame, with its version. */
export const documentQuery = ({ userId, id }: PolicyRef, type: DocumentType) =>
  queryOptions({
    queryKey: ['policy', id, 'document', type],
    queryFn: async ({ signal }) => {
      const { bytes, etag } = await banyan.user(userId).policies.downloadDocument(id, type, { signal })
      return { file: new Blob([(await bytes()) as Uint8Array<ArrayBuffer>], { type: PDF }), etag }
    },
    // Made for each request; it changes only with the policy, which invalidates it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** Which document, and the version that was decided upon; undefined to replace any. */
type Target = { type: DocumentType; seen: string | undefined }

/** Replaces a document by a file. */
export const uploadDocument = ({ userId, id }: PolicyRef, { type, seen }: Target, file: Blob) =>
  uploads.user(userId).policies.uploadDocument(id, type, file, { ifMatch: seen })

/** Removes an uploaded file, so that the generated document is shown again. */
export const removeUpload = ({ userId, id }: PolicyRef, { type, seen }: Target) =>
  banyan.user(userId).policies.deleteDocumentUpload(id, type, { ifMatch: seen })
