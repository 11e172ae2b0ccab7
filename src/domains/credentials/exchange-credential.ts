import { timingSafeEqual } from 'node:crypto'
import type { OfService } from '../../access/caller.ts'
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
 * too many were wrong, or the credential gets too many tokens.
 */
export async function exchangeCredential(context: Context, shown: PresentedCredential): Promise<Exchanged> {
  const { kind, ownerId, epoch, ...of } = await checkCredential(context, shown)
  const { headers } = context.rates.countToken(of.credentialId)
  context.uses.note(of.credentialId)
  const issued =
    kind === 'platform'
      ? context.tokens.issueToPlatform({ platformId: ownerId, epoch, ...of })
      : context.tokens.issueToProvider({ benefitProviderId: ownerId, ...of })
  return { ...issued, headers }
}

type Checked = Pick<StoredCredential, 'kind' | 'ownerId' | 'epoch'> & OfService

/**
 * Wrong secrets count for their credential alone, so that nobody behind the same address keeps others out. What is shown for a
 * credential that nobody has counts for the address besides, and no less for itself: it is not told from one that is there.
 */
async function checkCredential(
  { db, clock, vault, rates }: Context,
  { authorization, address }: PresentedCredential,
): Promise<Checked> {
  const addressKey = vault.blindIndex('token_address', networkOf(address)).toString('base64')
  const basic = basicOf(authorization)
  const stored = basic && (await findCredential(db, basic.id))
  if (!stored) rates.countUnknown(addressKey)
  if (!basic) throw invalidClient()
  const isRight = stored !== undefined && isGood(stored, { secret: basic.secret, address, at: clock.now() })
  rates.countSecret({ credentialId: basic.id, address: addressKey, isRight })
  if (!isRight) throw invalidClient()
  const { kind, ownerId, epoch, expiresAt, ipAllowList } = stored
  const credentialExpiresAt = expiresAt ? unixSecondsOf(expiresAt) : undefined
  return { kind, ownerId, epoch, credentialId: basic.id, credentialExpiresAt, ipAllowList: ipAllowList ?? undefined }
}

/** A credential is good while it has not expired, and from the networks that it was made for. */
function isGood(
  { enabled, secretHash, expiresAt, ipAllowList }: StoredCredential,
  { secret, address, at }: { secret: string; address: string; at: Date },
): boolean {
  return (
    enabled &&
    timingSafeEqual(secretHash, hashSecret(secret)) &&
    (expiresAt === null || expiresAt > at) &&
    (ipAllowList === null || allows(ipAllowList, address))
  )
}

/** Undefined for what cannot be a basic token. */
function basicOf(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  const [, id, secret] =
    /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString('latin1')) ?? []
  if (id === undefined || secret === undefined || !isWellFormedSecret(SECRET_PREFIX, secret)) return undefined
  return { id, secret }
}

/** `error` is the member that OAuth clients look at (RFC 6749, 5.2). */
const invalidClient = () =>
  new ProblemError('unauthenticated', 'The credential is missing or not valid.', {
    headers: { 'www-authenticate': 'Basic realm="banyan"' },
    members: { error: 'invalid_client' },
  })
