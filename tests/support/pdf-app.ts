import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { Type } from 'typebox'
import { HEADER_WORDS } from '../../src/domains/header-words.ts'
import { WORDS_OF_PROBLEMS } from '../../src/domains/problem-words.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { installOpenApi } from '../../src/kernel/http/openapi.ts'
import { installPdfBody, PdfBody, pdfResponse, readPdf } from '../../src/kernel/http/pdf-body.ts'
import { type App, createServer } from '../../src/kernel/http/server.ts'
import { createLog } from '../../src/kernel/log.ts'
import { createMetrics } from '../../src/kernel/metrics.ts'
import { notFound } from '../../src/kernel/problem-error.ts'

const MIB = 1024 * 1024
const TIMEOUT_MS = 60_000

/** What the handler of an upload saw: bytes passed on, and how it ended. */
export type Upload = { bytes: number; end: 'whole' | Error }

type Watch = { uploads: Upload[]; take: () => Promise<void> }

/** The production server with one route for PDFs, and one beside it for JSON. Closed when the file's tests are done. */
export async function openPdfApp() {
  const watch: Watch = { uploads: [], take: async () => {} }
  const app = createServer({
    origin: 'http://banyan.test',
    log: createLog('silent'),
    metrics: createMetrics(),
    clock: systemClock,
    trustedProxies: 0,
  })
  await installOpenApi(app, {
    origin: 'http://banyan.test',
    version: '0.0.0',
    description: 'PDFs',
    tags: [],
    securitySchemes: {},
    words: { ...HEADER_WORDS, fields: {}, problems: WORDS_OF_PROBLEMS },
    states: ['PENDING'],
    webhooks: {},
    notesOf: (config) => ({
      security: [],
      callers: 'everybody',
      codes: ['not_found'],
      takesKeys: false,
      takesPurpose: false,
      extensions: { 'x-produces': config.produces ?? ['application/json'] },
    }),
  })
  await app.register(async (scope) => documentRoutes(scope as App, watch))
  app.post(
    '/records',
    {
      schema: {
        operationId: 'keepRecord',
        summary: 'Keep a record',
        description: 'JSON.',
        body: Type.Object({ name: Type.String({ examples: ['Asha'] }) }),
        response: { 200: Type.Object({ name: Type.String() }) },
      },
    },
    (request) => request.body,
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  after(() => app.close())

  /** What the handler of the last upload saw, once it has ended. */
  async function ended(): Promise<Upload> {
    const { uploads } = watch
    if (uploads.length === 0) await once(app.server, 'upload', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return uploads.pop() as Upload
  }

  return { app, watch, ended, port: (app.server.address() as AddressInfo).port }
}

function documentRoutes(app: App, watch: Watch): void {
  installPdfBody(app)
  const kept = new Map<string, Buffer>()

  app.put(
    '/documents/:id',
    {
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
          if ((request.params as { id: string }).id === 'foreign') throw notFound()
        },
      },
    },
    async (request) => {
      const upload: Upload = { bytes: 0, end: 'whole' }
      const chunks: Buffer[] = []
      try {
        for await (const chunk of readPdf(request.body)) {
          upload.bytes += chunk.length
          if (upload.bytes < MIB) chunks.push(chunk)
          await watch.take()
        }
        kept.set(request.params.id, Buffer.concat(chunks))
        return { bytes: upload.bytes }
      } catch (error) {
        upload.end = error as Error
        throw error
      } finally {
        watch.uploads.push(upload)
        app.server.emit('upload')
      }
    },
  )

  app.get(
    '/documents/:id',
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
      const bytes = kept.get(request.params.id)
      if (!bytes) throw notFound()
      return reply.header('content-disposition', 'attachment').type('application/pdf').send(bytes)
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
