import type { FastifyInstance, FastifyRequest } from 'fastify'
import { malformedRequest, Refusal } from '../refusal.ts'
import { parseJsonObject } from './json.ts'

/** JSON bodies, in bytes (completion 8). */
export const JSON_BODY_BYTES_MAX = 256 * 1024

/** What is checked of every request before anybody asks who sent it: transfer coding, encoding, address, accepted types. */
export function installFraming(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request
    if (headers['transfer-encoding'] !== undefined && headers['transfer-encoding'] !== 'chunked') {
      return done(malformedRequest('The transfer coding is not one that is read here.'))
    }
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
      return done(new Refusal('unsupported_media_type', 'Encoded bodies are not read here.'))
    }
    if (request.url.includes('%00')) return done(malformedRequest('The address holds U+0000.'))
    if (!acceptsJson(headers.accept) && !request.routeOptions.config.anyAccept) {
      return done(new Refusal('not_acceptable', 'This answer can be had as application/json only.'))
    }
    done()
  })

  app.removeAllContentTypeParsers()
  installJsonBody(app, () => {})
}

type LookAtBytes = (request: FastifyRequest, body: Buffer) => void

const NO_BYTES = Buffer.alloc(0)

/** In this scope the bytes of a body are looked at before they are read as JSON, as signatures need it. */
export function installRawBody(app: FastifyInstance, look: LookAtBytes): void {
  app.removeAllContentTypeParsers()
  installJsonBody(app, look)
  // No parser runs for a request that announces no body.
  app.addHook('preValidation', async (request) => {
    if (request.body === undefined) look(request, NO_BYTES)
  })
}

function installJsonBody(app: FastifyInstance, look: LookAtBytes): void {
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer', bodyLimit: JSON_BODY_BYTES_MAX },
    (request: FastifyRequest, body: Buffer, done) => {
      try {
        look(request, body)
        checkCharset(request.headers['content-type'])
        done(null, body.length === 0 ? undefined : parseJsonObject(body))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}

/** JSON is UTF-8; a body that announces another charset would be misread. */
export function checkCharset(contentType: string | undefined): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '')?.[1]
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new Refusal('unsupported_media_type', 'Bodies are read as UTF-8 only.')
  }
}

const JSON_RANGES = new Set(['*/*', 'application/*', 'application/json', 'application/problem+json'])

function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return true
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return JSON_RANGES.has(type) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
