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
type Exchanged = IssuedToken & { headers: Record<string, string> }

/**
 * A `basic_token` for an access token of its owner (completion 3). Refuses with 401, always in the same words, and with 429 when
 * too many were refused to the address, or the credential gets too many.
 */
export async function exchangeCredential(
  context: Context,
  { authorization, address }: PresentedCredential,
): Promise<Exchanged> {
  const addressKey = context.vault.blindIndex('token_address', networkOf(address)).toString('base64')
  const check = () => checkCredential(context, { authorization, address })
  const { kind, ownerId, epoch, ...of } = await context.rates.trying(addressKey, check, isRefused)
  const { headers } = context.rates.countToken(of.credentialId)
  context.uses.note(of.credentialId)
  const issued =
    kind === 'platform'
      ? context.tokens.issueToPlatform({ platformId: ownerId, epoch, ...of })
      : context.tokens.issueToProvider({ benefitProviderId: ownerId, ...of })
  return { ...issued, headers }
}

type Checked = Pick<StoredCredential, 'kind' | 'ownerId' | 'epoch'> & OfCredential

/** A credential is good while it has not expired, and from the networks that it was made for. */
async function checkCredential(
  { db, clock }: Context,
  { authorization, address }: PresentedCredential,
): Promise<Checked> {
  const { id, secret } = basicOf(authorization)
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

function basicOf(authorization: string | undefined): { id: string; secret: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  const [, id, secret] =
    /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString('latin1')) ?? []
  if (id === undefined || secret === undefined || !isWellFormedSecret(SECRET_PREFIX, secret)) throw invalidClient()
  return { id, secret }
}

const isRefused = (error: unknown) => error instanceof ProblemError && error.code === 'unauthenticated'

/** `error` is the member that OAuth clients look at (RFC 6749, 5.2). */
const invalidClient = () =>
  new ProblemError('unauthenticated', 'The credential is missing or not valid.', {
    headers: { 'www-authenticate': 'Basic realm="banyan"' },
    members: { error: 'invalid_client' },
  })
