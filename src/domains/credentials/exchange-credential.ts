import { timingSafeEqual } from 'node:crypto'
import type { OfCredential } from '../../access/caller.ts'
import { allows } from '../../access/ip-allow-list.ts'
import { networkOf } from '../../access/network-of.ts'
import type { IssuedToken } from '../../access/tokens.ts'
import type { Deps } from '../../deps.ts'
import { unixSecondsOf } from '../../kernel/clock.ts'
import { hashSecret, isWellFormedSecret } from '../../kernel/crypto/secrets.ts'
import { ProblemError } from '../../kernel/problem-error.ts'
import { SECRET_PREFIX } from './create-credential.ts'
import { findCredential, type StoredCredential } from './store.ts'

type Context = Pick<Deps, 'db' | 'tokens' | 'vault' | 'rates' | 'uses' | 'clock'>
type PresentedCredential = { authorization: string | undefined; address: string }
type ExchangeResult = IssuedToken & { headers: Record<string, string> }

/**
 * Exchanges a `basic_token` for an access token of its owner (completion 3). Throws 401, with the same text for every
 * cause, and 429 after too many failures from the IP address or too many tokens for the credential.
 */
export async function exchangeCredential(
  context: Context,
  { authorization, address }: PresentedCredential,
): Promise<ExchangeResult> {
  const addressKey = context.vault.blindIndex('token_address', networkOf(address)).toString('base64')
  const check = () => checkCredential(context, { authorization, address })
  const { kind, ownerId, epoch, ...credential } = await context.rates.trying(addressKey, check, isUnauthenticated)
  const { headers } = context.rates.countToken(credential.credentialId)
  context.uses.note(credential.credentialId)
  const issued =
    kind === 'platform'
      ? context.tokens.issueToPlatform({ platformId: ownerId, epoch, ...credential })
      : context.tokens.issueToProvider({ benefitProviderId: ownerId, ...credential })
  return { ...issued, headers }
}

type VerifiedCredential = Pick<StoredCredential, 'kind' | 'ownerId' | 'epoch'> & OfCredential

/** Throws 401 unless the secret is right, the owner enabled, the credential unexpired and the IP address allowed. */
async function checkCredential(
  { db, clock }: Context,
  { authorization, address }: PresentedCredential,
): Promise<VerifiedCredential> {
  const { id, secret } = parseBasic(authorization)
  const stored = await findCredential(db, id)
  if (!stored?.enabled || !timingSafeEqual(stored.secretHash, hashSecret(secret))) throw invalidClient()
  const { kind, ownerId, epoch, expiresAt, ipAllowList } = stored
  if (expiresAt && expiresAt <= clock.now()) throw invalidClient()
  if (ipAllowList && !allows(ipAllowList, address)) throw invalidClient()
  return {
    kind,
    ownerId,
    epoch,
    credentialId: id,
    credentialExpiresAt: expiresAt ? unixSecondsOf(expiresAt) : undefined,
  }
}

function parseBasic(authorization: string | undefined): { id: string; secret: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  const [, id, secret] =
    /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString('latin1')) ?? []
  if (id === undefined || secret === undefined || !isWellFormedSecret(SECRET_PREFIX, secret)) throw invalidClient()
  return { id, secret }
}

const isUnauthenticated = (error: unknown) => error instanceof ProblemError && error.code === 'unauthenticated'

/** `error` is the member OAuth clients read (RFC 6749, 5.2). */
const invalidClient = () =>
  new ProblemError('unauthenticated', 'The credential is missing or invalid.', {
    headers: { 'www-authenticate': 'Basic realm="banyan"' },
    members: { error: 'invalid_client' },
  })
