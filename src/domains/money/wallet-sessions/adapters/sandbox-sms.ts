import { callJson } from '../../../../kernel/outbound/call-json.ts'
import type { Sms } from '../sms.ts'

const TIMEOUT_MS = 3_000

/** Opens the sandbox's SMS gateway: `GET {sandbox}/sms/messages?to=+91…` returns the messages it received. */
export function createSandboxSms({ url }: { url: string }): Sms {
  return {
    async send(body) {
      const target = { company: 'sms_gateway', url: `${url}/messages` }
      const { status } = await callJson({ ...target, method: 'POST', body, timeout_ms: TIMEOUT_MS })
      if (status !== 201) throw new Error(`the SMS gateway responded ${status}`)
    },
  }
}
