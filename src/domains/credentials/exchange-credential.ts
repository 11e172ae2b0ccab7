import { timingSafeEqual } from 'node:crypto'
import type { IssuedToken, Tokens } from '../../access/tokens.ts'
import { hashSecret, isWellFormedSecret } from '../../kernel/crypto/secrets.ts'
import type { Database } from '../../kernel/db/database.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { SECRET_PREFIX } from './create-credential.ts'
import { findCredential } from './store.ts'

type Deps = { db: Database; tokens: Tokens }

/** A `basic_token` for an access token of its owner (completion 3). Refuses with 401, always in the same words. */
export async function exchangeCredential(
  { db, tokens }: Deps,
  authorization: string | undefined,
): Promise<IssuedToken> {
  const { id, secret } = basicOf(authorization)
  const stored = await findCredential(db, id)
  if (!stored?.enabled || !timingSafeEqual(stored.secretHash, hashSecret(secret))) throw invalidClient()
  const credentialId = id
  return stored.owner.kind === 'platform'
    ? tokens.issueToPlatform({ platformId: stored.owner.id, epoch: stored.epoch, credentialId })
    : tokens.issueToProvider({ benefitProviderId: stored.owner.id, credentialId })
}

function basicOf(authorization: string | undefined): { id: string; secret: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  const [, id, secret] =
    /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString('latin1')) ?? []
  if (id === undefined || secret === undefined || !isWellFormedSecret(SECRET_PREFIX, secret)) throw invalidClient()
  return { id, secret }
}

/** `error` is the member that OAuth clients look at (RFC 6749, 5.2). */
const invalidClient = () =>
  new Refusal('unauthenticated', 'The credential is missing or not valid.', {
    headers: { 'www-authenticate': 'Basic realm="banyan"' },
    members: { error: 'invalid_client' },
  })
