import { createHmac } from 'node:crypto'
import { randomBytes } from './random.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32
const SECRET_BYTES_MIN = 24
const SECRET_BYTES_MAX = 64

/** Returns a new secret for the signatures of one receiver. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/** True when it is a secret as Standard Webhooks writes them. */
export function isWebhookSecret(text: string): boolean {
  const key = keyOf(text)
  const isOne = text === `${PREFIX}${key.toString('base64')}`
  return isOne && key.length >= SECRET_BYTES_MIN && key.length <= SECRET_BYTES_MAX
}

type Delivery = { id: string; at: Date; body: string }

/** Returns the headers that prove to the receiver who sent this body, and when (Standard Webhooks). */
export function signWebhook(secret: string, { id, at, body }: Delivery): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

const keyOf = (secret: string) => Buffer.from(secret.slice(PREFIX.length), 'base64')
