import { signWebhook } from '../../../kernel/crypto/sign-webhook.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { toEnvelope } from '../../../record/index.ts'
import { TEXTS } from './records.ts'
import type { DueDelivery } from './sender-store.ts'
import type { Endpoint } from './store.ts'

type DeliveryInput = { endpoint: Endpoint; event: DueDelivery['event']; at: Date }

/** Returns the body of a delivery and its headers, signed with two secrets for a while after a rotation. */
export function signDelivery(vault: Vault, { endpoint, event, at }: DeliveryInput) {
  const body = JSON.stringify(toEnvelope(event))
  const signed = signWebhook(secretsAt(vault, endpoint, at), { id: event.id, at, body })
  return { headers: { 'user-agent': 'banyan', ...signed }, body }
}

/** Returns the plain secrets that sign an endpoint's deliveries at a time. */
function secretsAt(vault: Vault, { id: endpointId, dataKey, ...endpoint }: Endpoint, at: Date): string[] {
  const { secret, previousSecret, previousSecretUntil } = endpoint
  const key = vault.unwrap(dataKey)
  const current = TEXTS.secret.unseal(key, { endpointId }, secret)
  if (previousSecret === null || previousSecretUntil === null || previousSecretUntil <= at) return [current]
  return [current, TEXTS.previous_secret.unseal(key, { endpointId }, previousSecret)]
}
