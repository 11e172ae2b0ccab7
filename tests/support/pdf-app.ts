import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { Type } from 'typebox'
import { HEADER_DESCRIPTIONS } from '../../src/domains/header-descriptions.ts'
import { PROBLEM_TEXTS } from '../../src/domains/problem-descriptions.ts'
import { openApiDocument } from '../../src/kernel/http/openapi.ts'
import { param } from '../../src/kernel/http/param.ts'
import { pdfBody, PdfBody, pdfResponse, readPdf } from '../../src/kernel/http/pdf-body.ts'
import type { Routes } from '../../src/kernel/http/router.ts'
import { notFound } from '../../src/kernel/problem-error.ts'
import { serveRoutes } from './inject.ts'

const MIB = 1024 * 1024
const TIMEOUT_MS = 60_000

/** What the handler of an upload saw: bytes passed on, and how it ended. */
export type Upload = { bytes: number; end: 'whole' | Error }

type Watch = { uploads: Upload[]; take: () => Promise<void>; ended: EventEmitter }

const RECORD_SCHEMA = {
  operationId: 'keepRecord',
  summary: 'Keep a record',
  description: 'JSON.',
  body: Type.Object({ name: Type.String({ examples: ['Asha'] }) }),
  response: { 200: Type.Object({ name: Type.String() }) },
}

/** The production server with one route for PDFs, and one alongside it for JSON. Closed when the file's tests are done. */
export async function openPdfApp() {
  const watch: Watch = { uploads: [], take: async () => {}, ended: new EventEmitter() }
  const app = serveRoutes((routes) => {
    documentRoutes(routes, watch)
    routes.add('POST /records', { schema: RECORD_SCHEMA }, ({ body }) => body)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  after(() => app.close())

  /** What the handler of the last upload saw, once it has ended. */
  async function ended(): Promise<Upload> {
    const { uploads } = watch
    if (uploads.length === 0) await once(watch.ended, 'upload', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return uploads.pop() as Upload
  }

  const document = openApiDocument(app.routes, {
    origin: 'http://banyan.test',
    version: '0.0.0',
    description: 'PDFs',
    tags: [],
    securitySchemes: {},
    descriptions: { ...HEADER_DESCRIPTIONS, fields: {}, problems: PROBLEM_TEXTS },
    states: ['PENDING'],
    callers: ['platform'],
    webhooks: {},
    describeAccess: (config) => ({
      security: [],
      callers: 'everybody',
      codes: ['not_found'],
      takesKeys: false,
      takesPurpose: false,
      extensions: { 'x-produces': config.produces ?? ['application/json'] },
    }),
  })
  return { app, document, watch, ended, port: (app.server.address() as AddressInfo).port }
}

function documentRoutes(routes: Routes, watch: Watch): void {
  const kept = new Map<string, Buffer>()

  routes.add(
    'PUT /documents/:id',
    {
      reader: pdfBody,
      schema: {
        operationId: 'uploadDocument',
        summary: 'Upload a document',
        description: 'A PDF.',
        params: Type.Object({ id: Type.String() }),
        body: PdfBody,
        response: { 200: Type.Object({ bytes: Type.Integer() }) },
      },
      config: {
        checkTargetFirst: async (request) => {
          if (param(request, 'id') === 'foreign') throw notFound()
        },
      },
    },
    async (request) => {
      const upload: Upload = { bytes: 0, end: 'whole' }
      const chunks: Buffer[] = []
      try {
        for await (const chunk of readPdf(request.body as AsyncIterable<Buffer>)) {
          upload.bytes += chunk.length
          if (upload.bytes < MIB) chunks.push(chunk)
          await watch.take()
        }
        kept.set(param(request, 'id'), Buffer.concat(chunks))
        return { bytes: upload.bytes }
      } catch (error) {
        upload.end = error as Error
        throw error
      } finally {
        watch.uploads.push(upload)
        watch.ended.emit('upload')
      }
    },
  )

  routes.add(
    'GET /documents/:id',
    {
      schema: {
        operationId: 'downloadDocument',
        summary: 'Download a document',
        description: 'A PDF.',
        params: Type.Object({ id: Type.String() }),
        response: { 200: pdfResponse('The document') },
      },
      config: { produces: ['application/pdf'], versioned: false },
    },
    async (request, reply) => {
      const bytes = kept.get(param(request, 'id'))
      if (!bytes) throw notFound()
      reply.header('content-disposition', 'attachment').type('application/pdf')
      return bytes
    },
  )
}

/** The shortest body accepted as a PDF, padded to this many bytes. */
export function pdfOf(bytes: number): Buffer {
  const pdf = Buffer.alloc(bytes, ' ')
  pdf.write('%PDF-1.7\n')
  pdf.write('\nstartxref\n9\n%%EOF\n', bytes - 19)
  return pdf
}
