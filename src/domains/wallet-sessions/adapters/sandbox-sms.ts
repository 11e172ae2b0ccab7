import { callJson } from '../../../kernel/outbound/call-json.ts'
import type { Sms } from '../sms.ts'

const TIMEOUT_MS = 3_000

/** The gateway of the sandbox: `GET {sandbox}/sms/messages?to=+91…` shows what it was given. */
export function openSandboxSms({ url }: { url: string }): Sms {
  return {
    async send(body) {
      const { status } = await callJson({ method: 'POST', url: `${url}/messages`, body, timeout_ms: TIMEOUT_MS })
      if (status !== 201) throw new Error(`the SMS gateway answered ${status}`)
    },
  }
}
