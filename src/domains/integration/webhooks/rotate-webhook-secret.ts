import { newWebhookSecret } from '../../../kernel/crypto/sign-webhook.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { changed, operation } from '../../../record/index.ts'
import { EndpointPath, presentWithSecret, SecretWebhookEndpoint, tags, TEXTS, versionOf } from './records.ts'
import { endpointInPath, ROTATE_SECRET } from './store.ts'

/** How long deliveries are signed with the previous secret too. */
const OVERLAP_MS = 24 * 3_600_000

export const rotateWebhookSecret = operation('POST /webhook_endpoints/:webhook_endpoint_id/rotate_secret', {
  access: 'rotateWebhookSecret',
  tags,
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'For 24 hours deliveries are signed with both the new and the previous secret, then with the new one only.',
  params: EndpointPath,
  versioned: true,
  response: { 200: SecretWebhookEndpoint },
  target: endpointInPath,
  serializeBy: ({ params }) => params.webhook_endpoint_id,
  change: ({ target: endpoint, deps }, { at }) => {
    const secret = newWebhookSecret()
    const key = deps.vault.unwrap(endpoint.dataKey)
    const { id: endpointId, revision } = endpoint
    const replaced = TEXTS.secret.unseal(key, { endpointId }, endpoint.secret)
    return {
      result: { endpoint: nextVersion(endpoint, at), secret },
      ...ROTATE_SECRET.with({
        endpoint_id: endpointId,
        revision,
        secret: TEXTS.secret.seal(key, { endpointId }, secret),
        previous_secret: TEXTS.previous_secret.seal(key, { endpointId }, replaced),
        previous_secret_until: new Date(at.getTime() + OVERLAP_MS),
        at,
      }),
    }
  },
  present: (withSecret, { deps: { vault } }) => ({
    ...changed(versionOf(vault, withSecret.endpoint)),
    body: presentWithSecret(vault, withSecret),
  }),
})
