import { callJson } from '../../../../kernel/outbound/call-json.ts'
import { checkMessage } from '../check-message.ts'
import type { Sms } from '../sms.ts'

const TIMEOUT_MS = 3_000

/** Opens the sandbox's SMS gateway: `GET {sandbox}/sms/messages?to=+91…` returns the messages it received. */
export function createSandboxSms({ url }: { url: string }): Sms {
  return {
    async send({ key, ...body }) {
      const target = { company: 'sms_gateway', url: `${url}/messages`, headers: { 'idempotency-key': key } }
      const response = { ...target, method: 'POST', body, timeout_ms: TIMEOUT_MS, check: checkMessage } as const
      const { status } = await callJson(response)
      if (status >= 300) throw new Error(`the SMS gateway responded ${status}`)
    },
  }
}
