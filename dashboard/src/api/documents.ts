import { queryOptions } from '@tanstack/react-query'
import { banyan, uploads } from './banyan.ts'
import type { PolicyRef } from './policies.ts'

export type DocumentType =
  | 'policy_certificate'
  | 'customer_information_sheet'
  | 'enrollment_form'
  | `health_card/${string}`

const PDF = 'application/pdf'

/** A document as a file in memory, for a frame, with its version. `issue`: of a former issue; without, of the one that holds today. */
export const documentQuery = ({ userId, id }: PolicyRef, type: DocumentType, issue?: number) =>
  queryOptions({
    queryKey: ['policy', id, 'document', type, issue],
    queryFn: async ({ signal }) => {
      const { policies } = banyan.user(userId)
      const { bytes, etag } = await policies.downloadDocument(id, type, { query: { issue }, signal })
      return { file: new Blob([(await bytes()) as Uint8Array<ArrayBuffer>], { type: PDF }), etag }
    },
    // Made for each request; it changes only with the policy, which invalidates it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

type OwnUpload = {
  etag: string | undefined
  /** The version that was shown before. A file for the next issue is not shown until then, so this one stays. */
  over: string | undefined
}

export const NO_UPLOAD = { etag: undefined, over: undefined }

/** The own upload of a document: while nothing else is shown since, the next one replaces it. */
export const ownUploadQuery = ({ id }: PolicyRef, type: DocumentType) =>
  queryOptions({
    queryKey: ['own-upload', id, type],
    queryFn: (): OwnUpload => NO_UPLOAD,
    enabled: false, // only what an upload has set
    gcTime: Number.POSITIVE_INFINITY,
  })

/** Which document, and the version that was decided upon; undefined to replace any. */
type Target = { type: DocumentType; seen: string | undefined; signal: AbortSignal }

/** Replaces a document by a file, whose version is returned. */
export async function uploadDocument({ userId, id }: PolicyRef, { type, seen, signal }: Target, file: Blob) {
  const { sha256 } = await uploads.user(userId).policies.uploadDocument(id, type, file, { ifMatch: seen, signal })
  return { etag: `"${sha256}"` }
}

/** Removes an uploaded file, so that the generated document is shown again. */
export const removeUpload = ({ userId, id }: PolicyRef, { type, seen, signal }: Target) =>
  banyan.user(userId).policies.deleteDocumentUpload(id, type, { ifMatch: seen, signal })
