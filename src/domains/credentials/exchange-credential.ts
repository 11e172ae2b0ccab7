import { timingSafeEqual } from 'node:crypto'
import { networkOf } from '../../access/network-of.ts'
import type { IssuedToken } from '../../access/tokens.ts'
import type { Deps } from '../../deps.ts'
import { hashSecret, isWellFormedSecret } from '../../kernel/crypto/secrets.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { SECRET_PREFIX } from './create-credential.ts'
import { findCredential, type StoredCredential } from './store.ts'

type Kit = Pick<Deps, 'db' | 'tokens' | 'vault' | 'rates'>
type Shown = { authorization: string | undefined; address: string }
type Exchanged = IssuedToken & { headers: Record<string, string> }

/**
 * A `basic_token` for an access token of its owner (completion 3). Refuses with 401, always in the same words, and with 429 when
 * too many were refused to the address, or the credential gets too many.
 */
export async function exchangeCredential(kit: Kit, { authorization, address }: Shown): Promise<Exchanged> {
  const addressKey = kit.vault.blindIndex('token_address', networkOf(address)).toString('base64')
  const check = () => checkCredential(kit.db, authorization)
  const { kind, ownerId, epoch, credentialId } = await kit.rates.trying(addressKey, check, isRefused)
  const { headers } = kit.rates.countToken(credentialId)
  const issued =
    kind === 'platform'
      ? kit.tokens.issueToPlatform({ platformId: ownerId, epoch, credentialId })
      : kit.tokens.issueToProvider({ benefitProviderId: ownerId, credentialId })
  return { ...issued, headers }
}

async function checkCredential(
  db: Queryable,
  authorization: string | undefined,
): Promise<StoredCredential & { credentialId: string }> {
  const { id, secret } = basicOf(authorization)
  const stored = await findCredential(db, id)
  if (!stored?.enabled || !timingSafeEqual(stored.secretHash, hashSecret(secret))) throw invalidClient()
  return { ...stored, credentialId: id }
}

function basicOf(authorization: string | undefined): { id: string; secret: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  const [, id, secret] =
    /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString('latin1')) ?? []
  if (id === undefined || secret === undefined || !isWellFormedSecret(SECRET_PREFIX, secret)) throw invalidClient()
  return { id, secret }
}

const isRefused = (error: unknown) => error instanceof Refusal && error.code === 'unauthenticated'

/** `error` is the member that OAuth clients look at (RFC 6749, 5.2). */
const invalidClient = () =>
  new Refusal('unauthenticated', 'The credential is missing or not valid.', {
    headers: { 'www-authenticate': 'Basic realm="banyan"' },
    members: { error: 'invalid_client' },
  })
