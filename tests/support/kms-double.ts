import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export const KMS_CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'the secret of the test' }
const REGION = 'ap-south-1'

const sha256 = (of: string) => createHash('sha256').update(of).digest('hex')
const mac = (key: Buffer | string, of: string) => createHmac('sha256', key).update(of).digest()

/** Checks a request's Signature Version 4, computed again from what was sent. */
function isSigned({ method, url, headers }: IncomingMessage, body: string): boolean {
  const input =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
  const [, accessKeyId, day = '', region = '', names = '', signature] = input.exec(headers.authorization ?? '') ?? []
  const time = String(headers['x-amz-date'])
  if (accessKeyId !== KMS_CREDENTIALS.accessKeyId || region !== REGION || !time.startsWith(day)) return false
  for (const needed of ['host', 'x-amz-date', 'x-amz-target']) if (!names.split(';').includes(needed)) return false
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const request = [method, url, '', signed.join(''), names, sha256(body)].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, `${day}/${region}/kms/aws4_request`, sha256(request)].join('\n')
  const key = [day, region, 'kms', 'aws4_request'].reduce<Buffer | string>(
    mac,
    `AWS4${KMS_CREDENTIALS.secretAccessKey}`,
  )
  return mac(key, toSign).toString('hex') === signature
}

type Asked = { KeyId: string; EncryptionContext: Record<string, string>; CiphertextBlob?: string }

/** A server with the operations of AWS KMS that the program uses; it rejects unsigned requests. */
export async function startKmsDouble() {
  const root = randomBytes(32)
  const asked: string[] = []
  const state = { isSilent: false }
  const seal = (plain: Buffer, context: string) => {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', root, iv).setAAD(Buffer.from(context))
    return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
  const open = (sealed: Buffer, context: string) => {
    const decipher = createDecipheriv('aes-256-gcm', root, sealed.subarray(0, 12)).setAAD(Buffer.from(context))
    decipher.setAuthTag(sealed.subarray(-16))
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
  }
  const respond = (operation: string, { EncryptionContext, CiphertextBlob = '' }: Asked): object | undefined => {
    const context = JSON.stringify(EncryptionContext)
    if (operation === 'GenerateDataKeyWithoutPlaintext')
      return { CiphertextBlob: seal(randomBytes(32), context).toString('base64') }
    assert.equal(operation, 'Decrypt')
    try {
      return { Plaintext: open(Buffer.from(CiphertextBlob, 'base64'), context).toString('base64') }
    } catch {
      return undefined
    }
  }
  const server = createServer((request, response) => {
    if (state.isSilent) return
    void text(request).then((body) => {
      const operation = String(request.headers['x-amz-target']).replace('TrentService.', '')
      const send = (status: number, reply: object) =>
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(reply))
      if (!isSigned(request, body)) return send(400, { __type: 'InvalidSignatureException' })
      asked.push(operation)
      const reply = respond(operation, JSON.parse(body) as Asked)
      return reply ? send(200, reply) : send(400, { __type: 'InvalidCiphertextException' })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    const closed = once(server.close(), 'close')
    server.closeAllConnections()
    await closed
  }
  return {
    asked,
    state,
    settings: { keyId: 'alias/banyan', region: REGION, endpoint, credentials: KMS_CREDENTIALS },
    close,
  }
}
