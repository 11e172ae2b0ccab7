import { Webhook } from 'standardwebhooks'
import { toUnixSeconds } from '../clock.ts'
import { randomBytes } from './random.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
const SECRET_BYTES_MIN = 24
const SECRET_BYTES_MAX = 64

/** Returns a new signing secret for one receiver. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

export function isWebhookSecret(text: string): boolean {
  const key = decodeSecret(text)
  const isCanonical = text === `${PREFIX}${key.toString('base64')}`
  return isCanonical && key.length >= SECRET_BYTES_MIN && key.length <= SECRET_BYTES_MAX
}

type Delivery = { id: string; at: Date; body: string }

/** Returns the Standard Webhooks headers of a delivery, with one signature per secret. */
export function signWebhook(secrets: readonly string[], { id, at, body }: Delivery) {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, body))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(toUnixSeconds(at)),
    'webhook-signature': signatures.join(' '),
  }
}

const decodeSecret = (secret: string) => Buffer.from(secret.slice(PREFIX.length), 'base64')
