import { timingSafeEqual } from 'node:crypto'
import type { Caller, ServiceClaims } from '../../../access/caller.ts'
import { allows } from '../../../access/ip-allow-list.ts'
import { networkOf } from '../../../access/network-of.ts'
import type { IssuedToken } from '../../../access/tokens.ts'
import type { Deps } from '../../../deps.ts'
import { unixSecondsOf } from '../../../kernel/clock.ts'
import { hashSecret, isWellFormedSecret } from '../../../kernel/crypto/secrets.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { SECRET_PREFIX } from './create-credential.ts'
import { findCredential, type StoredCredential } from './store.ts'

type Context = Pick<Deps, 'db' | 'tokens' | 'vault' | 'rates' | 'uses' | 'clock'>
/** `onFound` gets the id of a known credential, whether or not its secret is right. */
type PresentedCredential = { authorization: string | undefined; address: string; onFound: (id: string) => void }
type ExchangeResult = IssuedToken & { caller: Caller; headers: Record<string, string> }

/**
 * Exchanges a `basic_token` for an access token of its owner (completion 3). Throws 401, with the same text for every
 * cause, and 429 after too many failures or too many tokens for the credential.
 */
export async function exchangeCredential(context: Context, presented: PresentedCredential): Promise<ExchangeResult> {
  const { kind, ownerId, epoch, ...credential } = await checkCredential(context, presented)
  const { headers } = context.rates.countToken(credential.credentialId)
  context.uses.note(credential.credentialId)
  if (kind === 'platform') {
    const caller = { kind, platformId: ownerId, epoch, ...credential }
    return { ...context.tokens.issueToPlatform(caller), caller, headers }
  }
  const caller = { kind, benefitProviderId: ownerId, ...credential }
  return { ...context.tokens.issueToProvider(caller), caller, headers }
}

type VerifiedCredential = Pick<StoredCredential, 'kind' | 'ownerId' | 'epoch'> & ServiceClaims

/**
 * Throws 401 unless the credential is valid. Wrong secrets count for their credential alone, so that nobody behind the
 * same IP address keeps others out. An unknown credential counts for the address besides, and otherwise like a known
 * one, so that the two cannot be told apart.
 */
async function checkCredential(
  { db, clock, vault, rates }: Context,
  { authorization, address, onFound }: PresentedCredential,
): Promise<VerifiedCredential> {
  const addressKey = vault.blindIndex('token_address', networkOf(address)).toString('base64')
  const basic = parseBasic(authorization)
  const stored = basic && (await findCredential(db, basic.id))
  if (stored) onFound(basic.id)
  else rates.countUnknown(addressKey)
  if (!basic) throw invalidClient()
  const isRight = stored !== undefined && isValid(stored, { secret: basic.secret, address, at: clock.now() })
  rates.countSecret({ credentialId: basic.id, address: addressKey, isRight })
  if (!isRight) throw invalidClient()
  const { kind, ownerId, epoch, expiresAt, ipAllowList } = stored
  const credentialExpiresAt = expiresAt ? unixSecondsOf(expiresAt) : undefined
  return { kind, ownerId, epoch, credentialId: basic.id, credentialExpiresAt, ipAllowList: ipAllowList ?? undefined }
}

/** Returns true when the secret is right, the owner enabled, the credential unexpired and the IP address allowed. */
function isValid(
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

/** Returns undefined for what cannot be a basic token. */
function parseBasic(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  const [, id, secret] =
    /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString('latin1')) ?? []
  if (id === undefined || secret === undefined || !isWellFormedSecret(SECRET_PREFIX, secret)) return undefined
  return { id, secret }
}

/** `error` is the member OAuth clients read (RFC 6749, 5.2). */
const INVALID_CLIENT =
  'The credential is missing or invalid. Send a valid `basic_token`, as it is, as `Authorization: Basic <basic_token>`.'

const invalidClient = () =>
  new ProblemError('unauthenticated', INVALID_CLIENT, {
    headers: { 'www-authenticate': 'Basic realm="banyan"' },
    members: { error: 'invalid_client' },
  })
