import type { Banyan } from './banyan.ts'
import { readInstant } from './instant.ts'

const BASE_URL = 'http://localhost:8081'
const OTP = /\b(\d{6})\b/
const POLL_MS = 200
const CODE_TIMEOUT_MS = 60_000

export type OperatorMode = 'ok' | 'slow' | 'error' | 'timeout' | 'lost_answer' | 'reject' | 'block' | 'flaky'
export type AccountProviderMode = 'ok' | 'slow' | 'error' | 'reject' | 'flaky'
export type ReceiverMode = 'ok' | 'fail' | 'slow' | 'gone'

/** A delivery as a receiver of the sandbox got it. */
export type ReceivedWebhook = {
  received_at: string
  id: string
  type: string
  signature: 'valid' | 'invalid' | 'not checked'
  response_status: number
  event: unknown
}

/** The stand-ins for external companies that a server in development starts: for tests, never in production. */
export class Sandbox {
  readonly #baseUrl: string

  constructor(baseUrl: string = BASE_URL) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '')
  }

  /** The calendar of policies, for the whole installation: it moves everyone's. */
  readonly clock = {
    now: async (): Promise<Date> => this.#time(await this.#send('GET', '/clock')),
    set: async (now: Date | string): Promise<Date> =>
      this.#time(await this.#send('PUT', '/clock', { now: now instanceof Date ? now.toISOString() : now })),
    /** By an ISO 8601 duration: `P31D`, `P1M`, `PT6H`. */
    advance: async (duration: string): Promise<Date> =>
      this.#time(await this.#send('PUT', '/clock', { advance: duration })),
    /** Back to real time. */
    reset: async (): Promise<Date> => this.#time(await this.#send('DELETE', '/clock')),
  }

  readonly sms = {
    /** Waits for the one-time code that was sent to the phone last, such as `+919876543210`. */
    lastCode: async (phone: string): Promise<string> => {
      for (const end = Date.now() + CODE_TIMEOUT_MS; ; await new Promise((resolve) => setTimeout(resolve, POLL_MS))) {
        const { messages } = await this.#send('GET', `/sms/messages?to=${encodeURIComponent(phone)}`)
        const [, code] = OTP.exec((messages as { text: string }[]).at(-1)?.text ?? '') ?? []
        if (code !== undefined) return code
        if (Date.now() > end) throw new Error('No code was sent to this phone')
      }
    },
  }

  /** How the wallet operator behaves from now on. */
  readonly operator = {
    mode: async (mode: OperatorMode): Promise<void> => void (await this.#send('PUT', '/operator/behaviour', { mode })),
  }

  /** How the bank behaves from now on. */
  readonly accountProvider = {
    mode: async (mode: AccountProviderMode): Promise<void> =>
      void (await this.#send('PUT', '/account_provider/behaviour', { mode })),
  }

  /** A receiver of webhooks, under any name. Its `url` is the address of an endpoint. */
  webhooks(name: string) {
    const path = `/webhooks/${encodeURIComponent(name)}`
    return {
      url: `${this.#baseUrl}${path}`,
      /** `secret`: that of the endpoint, so that signatures are checked. */
      behave: async (behaviour: { mode?: ReceiverMode; secret?: string }): Promise<void> =>
        void (await this.#send('PUT', `${path}/behaviour`, behaviour)),
      received: async (): Promise<ReceivedWebhook[]> =>
        (await this.#send('GET', path))['deliveries'] as ReceivedWebhook[],
      clear: async (): Promise<void> => void (await this.#send('DELETE', path)),
    }
  }

  #time({ now }: Record<string, unknown>): Date {
    return readInstant(String(now)) as Date
  }

  async #send(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      redirect: 'manual',
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`The sandbox responded ${response.status}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }
}

/** Returns the client with the sandbox alongside it: `banyan.sandbox.clock.advance('P31D')`. */
export function withSandbox<Client extends Banyan>(client: Client, baseUrl?: string): Client & { sandbox: Sandbox } {
  return Object.assign(client, { sandbox: new Sandbox(baseUrl) })
}
