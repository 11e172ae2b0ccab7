import { callJson } from '../../../kernel/outbound/call-json.ts'
import type { Sms } from '../sms.ts'

const TIMEOUT_MS = 3_000

/** Opens the sandbox's SMS gateway: `GET {sandbox}/sms/messages?to=+91…` returns the messages it received. */
export function openSandboxSms({ url }: { url: string }): Sms {
  return {
    async send(body) {
      const { status } = await callJson({ method: 'POST', url: `${url}/messages`, body, timeout_ms: TIMEOUT_MS })
      if (status !== 201) throw new Error(`the SMS gateway responded ${status}`)
    },
  }
}
