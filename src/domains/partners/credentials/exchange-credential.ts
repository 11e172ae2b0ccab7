import { timingSafeEqual } from 'node:crypto'
import { Type } from 'typebox'
import type { Caller, ServiceClaims } from '../../../access/caller.ts'
import { allows } from '../../../access/ip-allow-list.ts'
import { nameCaller } from '../../../access/logged-caller.ts'
import type { Address } from '../../../kernel/network.ts'
import type { IssuedToken } from '../../../access/tokens.ts'
import { toUnixSeconds } from '../../../kernel/clock.ts'
import { hashSecret, isWellFormedSecret } from '../../../kernel/crypto/secrets.ts'
import { formBody } from '../../../kernel/http/body.ts'
import { record } from '../../../kernel/http/schemas.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { type Call, type Deps, operation } from '../../../record/index.ts'
import { SECRET_PREFIX } from './decide-credential.ts'
import { invalidTokenRequest, readableByOauthClients } from './errors.ts'
import { formFields } from './form-fields.ts'
import { type PresentedCredential, tags } from './records.ts'
import { findCredential } from './store.ts'

const AccessToken = record(
  'AccessToken',
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds' }),
  },
  {
    description: 'An access token (RFC 6749)',
    examples: [{ access_token: 'eyJhbGciOi.payload.signature', token_type: 'Bearer', expires_in: 3600 }],
  },
)

export const exchangeCredential = operation('POST /oauth/token', {
  access: 'exchangeCredential',
  limit: 'tokenRequests',
  tags,
  summary: 'Exchange a credential for an access token',
  description:
    'OAuth 2.0 client credentials (RFC 6749, 4.4): HTTP Basic with the `basic_token`. The token is valid for 60 ' +
    'minutes. A form has at most 100 fields.',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  body: Type.Object(
    { grant_type: Type.Literal('client_credentials') },
    { examples: [{ grant_type: 'client_credentials' }] },
  ),
  response: { 200: AccessToken },
  readsBody: () => formBody(formFields),
  errorFor: readableByOauthClients,
  toProblem: invalidTokenRequest,
  target: issueToken, // so authentication comes before errors of the body
  read: ({ request, reply, target: { token, expiresInSeconds, caller, headers } }) => {
    nameCaller(request, caller)
    reply.headers(headers)
    return { access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds }
  },
})

type Exchange = Pick<Call, 'deps' | 'request'>
type Issued = IssuedToken & { caller: Caller; headers: Record<string, string> }

/** Throws 401, with the same text for every cause, and 429 after too many failures or tokens for the credential. */
async function issueToken({ deps, request }: Exchange): Promise<Issued> {
  const { kind, ownerId, epoch, ...credential } = await checkCredential(deps, request)
  const { headers } = deps.rates.countToken(credential.credentialId)
  deps.uses.note(credential.credentialId)
  if (kind === 'platform') {
    const caller = { kind, platformId: ownerId, epoch, ...credential }
    return { ...deps.tokens.issueToPlatform(caller), caller, headers }
  }
  const caller = { kind, benefitProviderId: ownerId, ...credential }
  return { ...deps.tokens.issueToProvider(caller), caller, headers }
}

type VerifiedCredential = Pick<PresentedCredential, 'kind' | 'ownerId' | 'epoch'> & ServiceClaims

/**
 * Throws 401 unless the credential is valid; the request is named after a known one in either case. Wrong
 * secrets count for their credential alone, so that nobody behind the same IP address keeps others out. An unknown
 * credential counts for the address besides, and otherwise like a known one, so that the two cannot be told apart.
 */
async function checkCredential(
  { db, clock, vault, rates }: Deps,
  request: Call['request'],
): Promise<VerifiedCredential> {
  const { address } = request.sender
  const addressKey = vault.blindIndex('token_address', address.network).toString('base64')
  const basic = parseBasic(request.headers.authorization)
  const stored = basic && (await findCredential(db, basic.id))
  if (stored) request.credentialId = basic.id
  else rates.countUnknown(addressKey)
  if (!basic) throw invalidClient()
  const isRight = stored !== undefined && isValid(stored, { secret: basic.secret, address, at: clock.now() })
  rates.countSecret({ credentialId: basic.id, address: addressKey, isRight })
  if (!isRight) throw invalidClient()
  const { kind, ownerId, epoch, expiresAt, ipAllowList } = stored
  const credentialExpiresAt = expiresAt ? toUnixSeconds(expiresAt) : undefined
  return { kind, ownerId, epoch, credentialId: basic.id, credentialExpiresAt, ipAllowList: ipAllowList ?? undefined }
}

function isValid(
  { enabled, secretHash, expiresAt, ipAllowList }: PresentedCredential,
  { secret, address, at }: { secret: string; address: Address; at: Date },
): boolean {
  return (
    enabled &&
    timingSafeEqual(secretHash, hashSecret(secret)) &&
    (expiresAt === null || expiresAt > at) &&
    (ipAllowList === null || allows(ipAllowList, address))
  )
}

function parseBasic(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1]
  const linked =
    /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString('latin1')) ?? []
  const [, id, secret] = linked.map(formDecoded)
  if (!id || secret === undefined || !isWellFormedSecret(SECRET_PREFIX, secret)) return undefined
  return { id, secret }
}

/** OAuth clients encode id and secret as in a form (RFC 6749, 2.3.1), others do not; ours contain no percent sign. */
function formDecoded(text: string): string {
  const bytes = text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return /^[\x21-\x7e]*$/.test(bytes) ? bytes : ''
}

/** `error` is the member OAuth clients read (RFC 6749, 5.2). */
const INVALID_CLIENT =
  'The credential is missing or invalid. Send a valid `basic_token`, as it is, as `Authorization: Basic <basic_token>`.'

const invalidClient = () =>
  new ProblemError('unauthenticated', INVALID_CLIENT, {
    headers: { 'www-authenticate': 'Basic realm="banyan"' },
    members: { error: 'invalid_client' },
  })
