import { type Agent, type OutgoingHttpHeaders, request } from 'node:http'

type Asking = { agent: Agent; headers: OutgoingHttpHeaders; status?: number }
export type Got = { bytes: number; etag: string | undefined }

/** Resolves with the last byte of the answer; fails when its status is another. */
export function get(url: string, { agent, headers, status = 200 }: Asking): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (answer) => {
      let bytes = 0
      answer.on('data', (part: Buffer) => (bytes += part.length))
      answer.once('error', reject)
      answer.once('end', () => {
        if (answer.statusCode === status) resolve({ bytes, etag: answer.headers.etag })
        else reject(new Error(`${url} answered ${answer.statusCode}`))
      })
    })
    sent.once('error', reject)
    sent.end()
  })
}
