import { type Agent, type OutgoingHttpHeaders, request } from 'node:http'

type GetOptions = { agent: Agent; headers: OutgoingHttpHeaders; status?: number }
export type Download = { bytes: number; etag: string | undefined }

/** Resolves with the last byte of the response; rejects when it has another status. */
export function get(url: string, { agent, headers, status = 200 }: GetOptions): Promise<Download> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (response) => {
      let bytes = 0
      response.on('data', (part: Buffer) => (bytes += part.length))
      response.once('error', reject)
      response.once('end', () => {
        if (response.statusCode === status) resolve({ bytes, etag: response.headers.etag })
        else reject(new Error(`${url} returned ${response.statusCode}`))
      })
    })
    sent.once('error', reject)
    sent.end()
  })
}
