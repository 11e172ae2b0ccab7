import { FormatRegistry } from '@sinclair/typebox'
import { SQL } from 'bun'
import { Elysia, t } from 'elysia'
import sodium from 'sodium-native'
import { isBirthDay, pagingFrom, PATTERNS } from '../promises/input-rules.ts'
import { createOperations } from '../promises/operations.ts'
import { invalid, notFound, pointerIn, Problem, problemResponse } from '../promises/problems.ts'
import { cipherOf, signerOf } from '../promises/sodium.ts'
import { createTokens } from '../promises/tokens.ts'
import { createVault } from '../promises/vault.ts'

const {
  PORT,
  DATABASE_URL = '',
  ISSUER = '',
  SIGNING_JWK = '',
  POOL_SIZE,
  MASTER_KEY = '',
  HASH_KEY = '',
} = process.env
const url = new URL(DATABASE_URL)
const sql = new SQL({
  adapter: 'postgres',
  path: `${url.searchParams.get('host')}/.s.PGSQL.${url.port}`,
  username: url.username,
  database: url.pathname.slice(1),
  max: Number(POOL_SIZE),
})

const jwk = JSON.parse(SIGNING_JWK)
const tokens = createTokens(signerOf(sodium, jwk), { kid: jwk.kid, issuer: ISSUER })
const keys = { masterKey: Buffer.from(MASTER_KEY, 'base64'), hashKey: Buffer.from(HASH_KEY, 'base64') }
const { listPolicies, issueToken, createDependants, createWallet, readWalletStatus } = createOperations({
  query: ({ text }, values) => sql.unsafe(text, values),
  vault: createVault(cipherOf(sodium), keys),
  tokens,
})

FormatRegistry.Set('birth-day', isBirthDay)
const closed = { additionalProperties: false }
const Name = t.String({ minLength: 1, maxLength: 200, pattern: PATTERNS.name })
const BirthDay = t.String({ format: 'birth-day' })
const Line = t.String({ maxLength: 500 })
const Address = t.Object(
  {
    line1: Line,
    line2: t.Optional(Line),
    city: Line,
    state: Line,
    country: Line,
    pincode: Line,
    raw: t.Optional(Line),
  },
  closed,
)
const TokenInput = t.Object(
  {
    id_proof: t.Optional(t.Object({ number: Name }, closed)),
    phone_country_code: t.String({ pattern: PATTERNS.dialCode }),
    phone_number: t.String({ pattern: PATTERNS.phone }),
    first_name: t.Optional(Name),
    last_name: t.Optional(Name),
    email: t.Optional(t.String({ format: 'email', maxLength: 254 })),
    dob: t.Optional(BirthDay),
    gender: t.Optional(t.UnionEnum(['MALE', 'FEMALE', 'OTHER'])),
    address: t.Optional(t.Union([Address, Line])),
  },
  closed,
)
const Dependant = t.Object({ first_name: Name, last_name: Name, date_of_birth: BirthDay }, closed)
const Dependants = t.Object({ dependants: t.Array(Dependant, { minItems: 1, maxItems: 50 }) }, closed)
const Paging = t.Object(
  {
    limit: t.Optional(t.String({ pattern: PATTERNS.limit })),
    offset: t.Optional(t.String({ pattern: PATTERNS.offset })),
    status: t.Optional(t.Union([t.String(), t.Array(t.String())])),
  },
  closed,
)
const UserPath = t.Object({ user_id: t.String({ pattern: PATTERNS.userId }) })

/** Runs before validation, so that errors of the input are for callers only. */
const bearer = (path: string, role: string) => {
  const caller = { aud: `${ISSUER}${path}`, role }
  return new Elysia().derive({ as: 'scoped' }, ({ request, set }) => {
    const requestId = crypto.randomUUID()
    set.headers['x-request-id'] = requestId
    set.headers['cache-control'] = 'no-store'
    return { call: { claims: tokens.verify(request.headers.get('authorization'), caller), requestId } }
  })
}

const main = new Elysia({ prefix: '/v1', normalize: false })
  .use(bearer('/v1', 'platform'))
  .get(
    '/users/:user_id/insurance_policies',
    async ({ call, params, query }) => (await listPolicies(call, params.user_id, pagingFrom(query))).body,
    { params: UserPath, query: Paging },
  )
  .post('/auth/token', async ({ call, body }) => (await issueToken(call, body)).body, {
    body: TokenInput,
    parse: 'json',
  })
  .post(
    '/users/:user_id/dependants/bulk',
    async ({ call, params, body, status }) =>
      status(201, (await createDependants(call, params.user_id, body.dependants)).body),
    { params: UserPath, body: Dependants, parse: 'json' },
  )

const wallets = new Elysia({ prefix: '/wallet/v1' })
  .use(bearer('/wallet/v1', 'wallet_user'))
  .post('/wallet', async ({ call, status }) => {
    const made = await createWallet(call)
    return status(made.status, made.body)
  })
  .get('/wallet/:id/status', async ({ call, params }) => (await readWalletStatus(call, params.id)).body)

new Elysia({ normalize: false })
  .onError(({ code, error, set }) => {
    const requestId = String(set.headers['x-request-id'] ?? crypto.randomUUID())
    const { status, headers, body } = problemResponse(problemOf(code, error), { issuer: ISSUER, requestId })
    return new Response(body, { status, headers })
  })
  .get('/livez', () => ({}))
  .use(main)
  .use(wallets)
  .listen({ port: Number(PORT), hostname: '127.0.0.1' })

function problemOf(code: unknown, error: any): unknown {
  if (code === 'NOT_FOUND') return notFound()
  if (code === 'PARSE') return new Problem('malformed_json', 'The body is not valid JSON.')
  if (code !== 'VALIDATION') return error
  return invalid(
    error.all.map(({ path, message }: Record<string, string>) => ({
      pointer: pointerIn(error.type, path ?? ''),
      detail: message ?? 'It is invalid.',
    })),
  )
}
