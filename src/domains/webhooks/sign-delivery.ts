import { Webhook } from 'standardwebhooks'
import { unixSecondsOf } from '../../kernel/clock.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import { toEnvelope } from '../../record/index.ts'
import type { DueDelivery } from './delivery-store.ts'
import { secretOf } from './secret-of.ts'
import type { Endpoint } from './store.ts'

type Signing = { endpoint: Endpoint; event: DueDelivery['event']; at: Date }

/** Returns the body of a delivery and its headers by Standard Webhooks; signed with two secrets for a while after a rotation. */
export function signDelivery(vault: Vault, { endpoint, event, at }: Signing) {
  const { id, dataKey, secret, previousSecret, previousSecretUntil } = endpoint
  const key = vault.open(dataKey)
  const sealed = [
    secret,
    ...(previousSecret && previousSecretUntil && previousSecretUntil > at ? [previousSecret] : []),
  ]
  const body = JSON.stringify(toEnvelope(event))
  const signatures = sealed.map((one) => new Webhook(secretOf(key, id, one)).sign(event.id, at, body))
  const headers = {
    'user-agent': 'banyan',
    'webhook-id': event.id,
    'webhook-timestamp': String(unixSecondsOf(at)),
    'webhook-signature': signatures.join(' '),
  }
  return { headers, body }
}
