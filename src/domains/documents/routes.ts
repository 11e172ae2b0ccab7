import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { actorFrom } from '../../access/caller.ts'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { knows } from '../../kernel/http/conditional.ts'
import { preferredType } from '../../kernel/http/framing.ts'
import { installPdfBody, readPdf } from '../../kernel/http/pdf-body.ts'
import type { App } from '../../kernel/http/server.ts'
import { CARD_PAGE_POLICY, cardPage } from './card-page.ts'
import { checkCard } from './check-card.ts'
import type { DocumentedPolicy, FindCover, FindDocumentedPolicy, PolicyDates } from './documented-policy.ts'
import { CARD_CHECK_PATH, etagOfFile, findDocument } from './find-document.ts'
import { openFile } from './open-file.ts'
import { presentFile } from './present.ts'
import * as schemas from './schemas.ts'
import { uploadDocument } from './upload-document.ts'

type Kit = Deps & PolicyDates & { origin: string; findPolicy: FindDocumentedPolicy }

type DocumentParams = { insurance_policy_id: string; document_type?: string; member_id?: string }

const PDF = 'application/pdf'
const HERE = '/users/:user_id/insurance_policies/:insurance_policy_id/documents'

/** A scope of its own, because its bodies are files and not JSON. */
export async function documentRoutes(app: App, kit: Kit): Promise<void> {
  for (const schema of schemas.records) app.addSchema(schema)
  installPdfBody(app)
  const reach = (request: FastifyRequest) =>
    kit.findPolicy(userScopeFrom(request), (request.params as DocumentParams).insurance_policy_id)

  async function download(request: FastifyRequest, reply: FastifyReply) {
    const policy = await reach(request)
    const type = typeFrom(request)
    const document = await findDocument(kit, policy, type)
    if (knows(request, document.etag)) return reply.code(304).headers(headersOf(document.etag)).send()
    const isFile = 'file' in document
    // A refusal must not look like a file, so nothing is said of one before it is there.
    const payload = isFile ? await openFile(kit, policy, document.file) : await document.make(whenLeft(reply))
    return reply
      .headers(headersOf(document.etag))
      .header('content-disposition', `attachment; filename="${fileName(policy, type)}"`)
      .header('content-length', isFile ? document.file.byteLength : (payload as Uint8Array).length)
      .type(PDF)
      .send(payload)
  }

  async function upload(request: FastifyRequest, reply: FastifyReply) {
    const policy = await reach(request)
    const file = await uploadDocument(kit, {
      policy,
      type: typeFrom(request),
      pdf: readPdf(request.body as AsyncIterable<Uint8Array>),
      ifMatch: request.headers['if-match'],
      by: actorFrom(request),
    })
    reply.header('etag', etagOfFile(file))
    return presentFile(policy, file)
  }

  const downloading = { reach, answers: [PDF] }
  const uploading = { reach, refuses: ['conflict', 'precondition_failed'] }

  app.get(
    `${HERE}/:document_type`,
    { schema: schemas.downloadDocumentSchema, config: { may: matrix.downloadDocument, ...downloading } },
    download,
  )
  app.get(
    `${HERE}/health_card/:member_id`,
    { schema: schemas.downloadHealthCardSchema, config: { may: matrix.downloadHealthCard, ...downloading } },
    download,
  )
  app.put(
    `${HERE}/:document_type`,
    { schema: schemas.uploadDocumentSchema, config: { may: matrix.uploadDocument, ...uploading } },
    upload,
  )
  app.put(
    `${HERE}/health_card/:member_id`,
    { schema: schemas.uploadHealthCardSchema, config: { may: matrix.uploadHealthCard, ...uploading } },
    upload,
  )
}

const headersOf = (etag: string) => ({ etag, 'cache-control': 'private, no-store' })

/** Aborts when the caller hangs up before the answer was sent. */
function whenLeft(reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  return left.signal
}

function typeFrom(request: FastifyRequest): schemas.DocumentType {
  const { document_type, member_id } = request.params as DocumentParams
  return (member_id === undefined ? document_type : `health_card/${member_id}`) as schemas.DocumentType
}

const fileName = (policy: DocumentedPolicy, type: schemas.DocumentType) =>
  `${type.replaceAll(/[^a-z0-9_]+/g, '-')}-${policy.id}.pdf`

const CARD_TYPES = ['application/json', 'text/html'] as const

/** Outside both interfaces and open to anybody: what the code on a health card leads to. */
export function cardCheckRoutes(app: App, kit: Deps & { findCover: FindCover }): void {
  const config = { may: 'anyone' as const, answers: [...CARD_TYPES] }
  // Whatever follows the path, and any query: messengers put things of their own behind an address.
  const schema = { hide: true, querystring: Type.Object({}, { additionalProperties: true }) }
  app.get(`${CARD_CHECK_PATH}/*`, { schema, config }, async (request, reply) => {
    const check = await checkCard(kit, (request.params as { '*': string })['*'].replace(/\/$/, ''))
    reply.headers({ vary: 'accept', 'referrer-policy': 'no-referrer' })
    if (preferredType(request.headers.accept, CARD_TYPES) !== 'text/html') return check
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', CARD_PAGE_POLICY)
      .send(cardPage(check))
  })
}
