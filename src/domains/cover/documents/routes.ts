import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorFrom } from '../../../access/caller.ts'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { knows } from '../../../kernel/http/conditional.ts'
import { preferredType } from '../../../kernel/http/framing.ts'
import { installPdfBody, readPdf } from '../../../kernel/http/pdf-body.ts'
import { param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { perform, responding } from '../../../record/index.ts'
import { CARD_PAGE_POLICY, cardPage } from './card-page.ts'
import { checkCard } from './check-card.ts'
import type {
  DocumentedPolicy,
  FindCover,
  FindDocumentedPolicy,
  FindUploadTarget,
  PolicyDates,
} from './documented-policy.ts'
import { deleteUpload } from './delete-upload.ts'
import { CARD_CHECK_PATH, etagOfFile, findDocument } from './find-document.ts'
import { openFile } from './open-file.ts'
import { presentFile } from './present.ts'
import { type RequestedDocument, requestedDocument } from './requested-document.ts'
import * as schemas from './schemas.ts'
import { uploadDocument } from './upload-document.ts'

type Context = Deps &
  PolicyDates & { origin: string; findPolicy: FindDocumentedPolicy; findUploadTarget: FindUploadTarget }
type Exchange = { request: FastifyRequest; reply: FastifyReply }

const PDF = 'application/pdf'
const PATH = '/users/:user_id/insurance_policies/:insurance_policy_id/documents'

const documentFrom = (request: FastifyRequest) => requestedDocument(param(request, 'document_type'))
const cardFrom = (request: FastifyRequest) => requestedDocument(`health_card/${param(request, 'member_id')}`)

const policyLoader =
  ({ findPolicy }: Context) =>
  (request: FastifyRequest) =>
    findPolicy(userScopeFrom(request), param(request, 'insurance_policy_id'))

const uploadTargetLoader =
  ({ findUploadTarget }: Context) =>
  (request: FastifyRequest, { type: documentType }: RequestedDocument) =>
    findUploadTarget(userScopeFrom(request), { policyId: param(request, 'insurance_policy_id'), documentType })

export async function documentRoutes(app: App, context: Context): Promise<void> {
  for (const schema of schemas.records) app.addSchema(schema)
  await app.register(async (scope) => fileRoutes(scope as App, context))
  const loadTarget = policyLoader(context)
  const loadUploadTarget = uploadTargetLoader(context)

  const removeUpload = ({ request, reply }: Exchange, document: RequestedDocument) =>
    perform(context, {
      request,
      reply,
      turn: param(request, 'insurance_policy_id'),
      decide: async (by) => {
        const ifMatch = request.headers['if-match']
        return deleteUpload({ ...(await loadUploadTarget(request, document)), document, ifMatch }, by)
      },
      present: ({ policy, file }) => responding(presentFile(policy, file)),
    })

  const deleting = { loadTarget, refuses: ['not_found', 'conflict', 'precondition_failed'] as const }
  app.delete(
    `${PATH}/:document_type`,
    { schema: schemas.deleteUploadSchema, config: { access: matrix.deleteDocumentUpload, ...deleting } },
    (request, reply) => removeUpload({ request, reply }, documentFrom(request)),
  )
  app.delete(
    `${PATH}/health_card/:member_id`,
    { schema: schemas.deleteHealthCardUploadSchema, config: { access: matrix.deleteHealthCardUpload, ...deleting } },
    (request, reply) => removeUpload({ request, reply }, cardFrom(request)),
  )
}

/** Mounted in a separate scope, because its bodies are files and not JSON. */
function fileRoutes(app: App, context: Context): void {
  installPdfBody(app)
  const loadTarget = policyLoader(context)
  const loadUploadTarget = uploadTargetLoader(context)

  async function download({ request, reply }: Exchange, requested: RequestedDocument) {
    const policy = await loadTarget(request)
    const document = await findDocument(context, policy, requested)
    if (knows(request, document.etag)) return reply.code(304).headers(headersOf(document.etag)).send()
    const isFile = 'file' in document
    // An error response must not have the headers of a file, so they are set after the payload is ready.
    const payload = isFile ? await openFile(context, policy, document.file) : await document.make(abortedOnClose(reply))
    return reply
      .headers(headersOf(document.etag))
      .header('content-disposition', `attachment; filename="${fileName(policy, requested)}"`)
      .header('content-length', isFile ? document.file.byteLength : (payload as Uint8Array).length)
      .type(PDF)
      .send(payload)
  }

  // Without an idempotency key: uploading the same file twice has the same effect, and a key would have to cover its
  // bytes.
  async function upload({ request, reply }: Exchange, document: RequestedDocument, body: AsyncIterable<Uint8Array>) {
    const target = await loadUploadTarget(request, document)
    const pdf = whileNotRevoked(request, readPdf(body))
    const sent = { ...target, document, pdf, ifMatch: request.headers['if-match'] }
    const file = await uploadDocument(context, sent, actorFrom(request))
    request.hasChanged = true
    reply.header('etag', etagOfFile(file))
    return presentFile(target.policy, file)
  }

  const downloading = { loadTarget, produces: [PDF] }
  const uploading = { loadTarget, refuses: ['conflict', 'precondition_failed'] as const, versioned: true }

  app.get(
    `${PATH}/:document_type`,
    { schema: schemas.downloadDocumentSchema, config: { access: matrix.downloadDocument, ...downloading } },
    (request, reply) => download({ request, reply }, documentFrom(request)),
  )
  app.get(
    `${PATH}/health_card/:member_id`,
    { schema: schemas.downloadHealthCardSchema, config: { access: matrix.downloadHealthCard, ...downloading } },
    (request, reply) => download({ request, reply }, cardFrom(request)),
  )
  app.put(
    `${PATH}/:document_type`,
    { schema: schemas.uploadDocumentSchema, config: { access: matrix.uploadDocument, ...uploading } },
    (request, reply) => upload({ request, reply }, documentFrom(request), request.body),
  )
  app.put(
    `${PATH}/health_card/:member_id`,
    { schema: schemas.uploadHealthCardSchema, config: { access: matrix.uploadHealthCard, ...uploading } },
    (request, reply) => upload({ request, reply }, cardFrom(request), request.body),
  )
}

/** Streams an upload; throws 401 at its end when the caller's token was revoked meanwhile. */
async function* whileNotRevoked(request: FastifyRequest, pdf: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pdf
  request.checkNotRevoked()
}

const headersOf = (etag: string) => ({ etag, 'cache-control': 'private, no-store' })

/** Returns a signal that aborts when the client closes the connection before the response was sent. */
function abortedOnClose(reply: FastifyReply): AbortSignal {
  const closed = new AbortController()
  reply.raw.once('close', () => closed.abort())
  return closed.signal
}

const fileName = ({ id }: DocumentedPolicy, { type }: RequestedDocument) =>
  `${type.replaceAll(/[^a-z0-9_]+/g, '-')}-${id}.pdf`

const CARD_TYPES = ['application/json', 'text/html'] as const

/** Mounts the public target of the code on a health card, outside both interfaces. */
export function cardCheckRoutes(app: App, context: Deps & { findCover: FindCover }): void {
  const config = {
    access: 'anyone' as const,
    limit: 'cardChecks' as const,
    produces: [...CARD_TYPES],
    versioned: false,
  }
  const sendCheck = async ({ request, reply }: Exchange, token: string) => {
    const check = await checkCard(context, token)
    reply.header('vary', 'accept')
    if (preferredType(request.headers.accept, CARD_TYPES) !== 'text/html') return check
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', CARD_PAGE_POLICY)
      .send(cardPage(check))
  }

  app.get(`${CARD_CHECK_PATH}/:token`, { schema: schemas.checkCardSchema, config }, (request, reply) =>
    sendCheck({ request, reply }, param(request, 'token')),
  )
  // Accepts any suffix: messengers append characters to URLs.
  const { querystring } = schemas.checkCardSchema
  app.get(`${CARD_CHECK_PATH}/*`, { schema: { hide: true, querystring }, config }, (request, reply) =>
    sendCheck({ request, reply }, param(request, '*').replace(/\/$/, '')),
  )
}
