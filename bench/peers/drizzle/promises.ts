import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import Fastify, { type FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import sodium from 'sodium-native'
import { Type } from 'typebox'
import { Format } from 'typebox/format'
import { isBirthDay, pagingFrom, PATTERNS } from '../promises/input-rules.ts'
import { createOperations } from '../promises/operations.ts'
import { invalid, notFound, pointerIn, Problem, problemResponse } from '../promises/problems.ts'
import type { Statement } from '../promises/statements.ts'
import { cipherOf, signerOf } from '../promises/sodium.ts'
import { type Claims, createTokens } from '../promises/tokens.ts'
import { createVault } from '../promises/vault.ts'

const { PORT, DATABASE_URL, ISSUER = '', SIGNING_JWK = '', POOL_SIZE, MASTER_KEY = '', HASH_KEY = '' } = process.env
const db = drizzle({ client: new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) }) })

/** A prepared query of Drizzle from SQL, because its builder has no statement that writes to several tables. */
function prepare({ name, text }: Statement, values: unknown[]) {
  const params = values.map((_, place) => sql.placeholder(String(place)))
  return db._.session.prepareQuery<any>({ sql: text, params }, undefined, name, false)
}
const prepared = new Map<Statement, ReturnType<typeof prepare>>()

const jwk = JSON.parse(SIGNING_JWK)
const tokens = createTokens(signerOf(sodium, jwk), { kid: jwk.kid, issuer: ISSUER })
const keys = { masterKey: Buffer.from(MASTER_KEY, 'base64'), hashKey: Buffer.from(HASH_KEY, 'base64') }
const { listPolicies, issueToken, createDependants, createWallet, readWalletStatus } = createOperations({
  async query(statement, values) {
    let known = prepared.get(statement)
    if (!known) prepared.set(statement, (known = prepare(statement, values)))
    return (await known.execute({ ...values })).rows
  },
  vault: createVault(cipherOf(sodium), keys),
  tokens,
})

type Call = { claims: Claims; requestId: string }

declare module 'fastify' {
  interface FastifyRequest {
    call: Call
  }
}

Format.Set('birth-day', isBirthDay)
const closed = { additionalProperties: false }
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: PATTERNS.name })
const BirthDay = Type.String({ format: 'birth-day' })
const Line = Type.String({ maxLength: 500 })
const address = { line1: Line, line2: Type.Optional(Line), city: Line, state: Line, country: Line, pincode: Line }
const TokenInput = Type.Object(
  {
    id_proof: Type.Optional(Type.Object({ number: Name }, closed)),
    phone_country_code: Type.String({ pattern: PATTERNS.dialCode }),
    phone_number: Type.String({ pattern: PATTERNS.phone }),
    first_name: Type.Optional(Name),
    last_name: Type.Optional(Name),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
    dob: Type.Optional(BirthDay),
    gender: Type.Optional(Type.Enum(['MALE', 'FEMALE', 'OTHER'])),
    address: Type.Optional(Type.Union([Type.Object({ ...address, raw: Type.Optional(Line) }, closed), Line])),
  },
  closed,
)
const Dependant = Type.Object({ first_name: Name, last_name: Name, date_of_birth: BirthDay }, closed)
const Dependants = Type.Object({ dependants: Type.Array(Dependant, { minItems: 1, maxItems: 50 }) }, closed)
const Paging = Type.Object(
  {
    limit: Type.Optional(Type.String({ pattern: PATTERNS.limit })),
    offset: Type.Optional(Type.String({ pattern: PATTERNS.offset })),
    status: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  },
  closed,
)
const UserPath = Type.Object({ user_id: Type.String({ pattern: PATTERNS.userId }) })

/** Serialised by their schemas, which is faster than `JSON.stringify`. */
const Text = Type.String()
const OrNull = (type: object) => Type.Unsafe<any>({ ...type, nullable: true })
const Money = Type.Object({ currency: Text, value: Type.Number() })
const Member = Type.Object({ id: Text, first_name: OrNull(Text), last_name: OrNull(Text) })
const Urls = { customer_information_sheet: OrNull(Text), enrollment_form: Text, policy_certificate: OrNull(Text) }
const Policy = Type.Object({
  ...{ id: Text, benefit_id: Text, benefit_name: Text, plan_code: Text, primary_user_id: Text, primary_member: Member },
  dependant_ids: Type.Array(Text),
  dependants: Type.Array(Member),
  documents: Type.Object({ health_cards: Type.Record(Text, Text), ...Urls }),
  premium_amounts: Type.Object({ annual: Money, daily: Money, sponsor_contribution: Money }),
  questionnaire: OrNull({ type: 'object', additionalProperties: true }),
  ...{ start_date: Text, end_date: Text, external_policy_id: OrNull(Text), master_policy_number: OrNull(Text) },
  metadata: Type.Object({ provider_metadata: OrNull({ type: 'object', additionalProperties: true }) }),
  nominee_details: OrNull(Type.Object({ nominee_type: Text, dependant_id: Text })),
  ...{ created_at: Text, last_modified_at: Text },
})
const Page = Type.Object({
  data: Type.Array(Policy),
  limit: Type.Integer(),
  offset: Type.Integer(),
  total: Type.Integer(),
})

const app = Fastify({ genReqId: () => randomUUID() }).withTypeProvider<TypeBoxTypeProvider>()
app.setValidatorCompiler(TypeBoxValidatorCompiler)
app.decorateRequest('call')
app.get('/livez', () => ({}))

const bearer = (path: string, role: string) => {
  const caller = { aud: `${ISSUER}${path}`, role }
  return async (request: FastifyRequest, reply: { headers(values: object): unknown }) => {
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store' })
    request.call = { claims: tokens.verify(request.headers.authorization, caller), requestId: request.id }
  }
}

app.register(
  async (scope) => {
    const main = scope.withTypeProvider<TypeBoxTypeProvider>()
    main.addHook('onRequest', bearer('/v1', 'platform'))
    main.get(
      '/users/:user_id/insurance_policies',
      { schema: { params: UserPath, querystring: Paging, response: { 200: Page } } },
      async ({ call, params, query }) => (await listPolicies(call, params.user_id, pagingFrom(query))).body,
    )
    main.post(
      '/auth/token',
      { schema: { body: TokenInput } },
      async ({ call, body }) => (await issueToken(call, body)).body,
    )
    main.post(
      '/users/:user_id/dependants/bulk',
      { schema: { params: UserPath, body: Dependants } },
      async ({ call, params, body }, reply) => {
        reply.code(201)
        return (await createDependants(call, params.user_id, body.dependants)).body
      },
    )
  },
  { prefix: '/v1' },
)

app.register(
  async (scope) => {
    scope.addHook('onRequest', bearer('/wallet/v1', 'wallet_user'))
    scope.post('/wallet', async ({ call }, reply) => {
      const { status, body } = await createWallet(call)
      reply.code(status)
      return body
    })
    scope.get<{ Params: { id: string } }>(
      '/wallet/:id/status',
      async ({ call, params }) => (await readWalletStatus(call, params.id)).body,
    )
  },
  { prefix: '/wallet/v1' },
)

const problemOf = (error: any): unknown => {
  if (error.code === 'FST_ERR_CTP_INVALID_JSON_BODY')
    return new Problem('malformed_json', 'The body is not valid JSON.')
  if (!error.validation) return error
  const errors = error.validation.flatMap(({ keyword, instancePath, params, message = '' }: any) => {
    const paths =
      keyword === 'required'
        ? params.requiredProperties.map((name: string) => `${instancePath}/${name}`)
        : keyword === 'additionalProperties'
          ? [] // each has an error of its own
          : [instancePath]
    return paths.map((path: string) => ({ pointer: pointerIn(error.validationContext, path), detail: message }))
  })
  return invalid(errors)
}
app.setNotFoundHandler(() => {
  throw notFound()
})
app.setErrorHandler((error, request, reply) => {
  const { status, headers, body } = problemResponse(problemOf(error), { issuer: ISSUER, requestId: request.id })
  return reply.code(status).headers(headers).send(body)
})

await app.listen({ port: Number(PORT), host: '127.0.0.1' })
