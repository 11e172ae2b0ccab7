/** The part of autocannon that is used here; it comes without types. */
declare module 'autocannon' {
  type Request = {
    method: string
    path: string
    headers: Record<string, string>
    body?: string
    /** Called before the request is sent; returns what is sent. */
    setupRequest?: (request: Request) => Request
    onResponse?: (status: number, body: string) => void
  }
  export type Client = { setRequests(requests: Request[]): void }
  type Result = {
    requests: { average: number }
    latency: { p99: number }
    '2xx': number
    non2xx: number
    statusCodeStats: Record<string, { count: number }>
    errors: number
    timeouts: number
  }
  type Options = { url: string; connections: number; duration: number; setupClient: (client: Client) => void }
  export default function autocannon(options: Options): Promise<Result>
}
