import { callJson } from '../../../../kernel/outbound/call-json.ts'
import { checkMessage } from '../check-message.ts'
import type { Sms } from '../sms.ts'

const TIMEOUT_MS = 5_000

type TwilioSettings = { url: string; accountSid: string; authToken: string; from: string }

/**
 * Opens Twilio's Messages API: form-encoded `POST /2010-04-01/Accounts/{sid}/Messages.json` with HTTP Basic, 2xx on
 * success.
 */
export function createTwilioSms({ url, accountSid, authToken, from }: TwilioSettings): Sms {
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
  return {
    async send({ to, text, key }) {
      const { status } = await callJson({
        company: 'sms_gateway',
        method: 'POST',
        url: `${url}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
        headers: { authorization, 'idempotency-key': key },
        body: new URLSearchParams({ To: to, From: from, Body: text }),
        timeout_ms: TIMEOUT_MS,
        check: checkMessage,
      })
      if (status >= 300) throw new Error(`the SMS gateway responded ${status}`)
    },
  }
}
