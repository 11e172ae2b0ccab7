import { type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { and, desc, eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import Fastify, { type FastifyRequest } from 'fastify'
import { importJWK, jwtVerify, SignJWT } from 'jose'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { Type } from 'typebox'
import * as schema from './schema.ts'

const { PORT, DATABASE_URL, ISSUER = '', SIGNING_JWK = '', POOL_SIZE } = process.env
const { dependants, policies, users, wallets } = schema
const db = drizzle({ client: new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) }), schema })

const jwk = JSON.parse(SIGNING_JWK)
const { d: _, ...publicJwk } = jwk
const privateKey = await importJWK(jwk, 'EdDSA')
const publicKey = await importJWK(publicJwk, 'EdDSA')

type Claims = { platform_id: string; user_id: string }

declare module 'fastify' {
  interface FastifyRequest {
    claims: Claims
  }
}

const bearer = (path: string) => async (request: FastifyRequest) => {
  const token = (request.headers.authorization ?? '').slice('Bearer '.length)
  const options = { algorithms: ['EdDSA'], issuer: ISSUER, audience: `${ISSUER}${path}` }
  try {
    request.claims = (await jwtVerify<Claims>(token, publicKey, options)).payload
  } catch {
    throw Object.assign(new Error('Unauthorized'), { statusCode: 401 })
  }
}

const app = Fastify().withTypeProvider<TypeBoxTypeProvider>()
app.decorateRequest('claims')
app.get('/livez', () => ({}))

const money = (paise: number) => ({ currency: 'INR', value: paise / 100 })
const Money = Type.Object({ currency: Type.String(), value: Type.Number() })
const Person = Type.Object({ id: Type.String(), first_name: Type.String(), last_name: Type.String() })
const Policy = Type.Object({
  id: Type.String(),
  benefit_id: Type.String(),
  benefit_name: Type.String(),
  plan_code: Type.String(),
  primary_member: Person,
  dependant_ids: Type.Array(Type.String()),
  dependants: Type.Array(Person),
  premium_amounts: Type.Object({ annual: Money, daily: Money, sponsor_contribution: Money }),
  start_date: Type.String(),
  end_date: Type.String(),
  created_at: Type.String(),
})
const Page = Type.Object({
  data: Type.Array(Policy),
  limit: Type.Integer(),
  offset: Type.Integer(),
  total: Type.Integer(),
})
const Paging = Type.Object({ limit: Type.Integer({ default: 20 }), offset: Type.Integer({ default: 0 }) })
const UserId = Type.Object({ userId: Type.String() })

type NamedRecord = { id: string; firstName: string | null; lastName: string | null }
const person = ({ id, firstName, lastName }: NamedRecord) => ({
  id,
  first_name: firstName ?? '',
  last_name: lastName ?? '',
})

app.register(
  async (scope) => {
    const main = scope.withTypeProvider<TypeBoxTypeProvider>()
    main.addHook('onRequest', bearer('/v1'))

    main.get(
      '/users/:userId/insurance_policies',
      { schema: { params: UserId, querystring: Paging, response: { 200: Page } } },
      async ({ params: { userId }, query: { limit, offset }, claims }, reply) => {
        const user = await db.query.users.findFirst({
          where: and(eq(users.id, userId), eq(users.platformId, claims.platform_id)),
          with: {
            dependants: true,
            policies: { with: { benefit: true }, orderBy: [desc(policies.createdAt), policies.id], limit, offset },
          },
        })
        if (!user) return reply.callNotFound() as never
        const total = await db.$count(policies, eq(policies.userId, userId))
        const data = user.policies.map((policy) => ({
          id: policy.id,
          benefit_id: policy.benefitId,
          benefit_name: policy.benefit.name,
          plan_code: policy.planCode,
          primary_member: person(user),
          dependant_ids: policy.dependantIds,
          dependants: user.dependants.filter(({ id }) => policy.dependantIds.includes(id)).map(person),
          premium_amounts: {
            annual: money(policy.premiumAnnualPaise),
            daily: money(policy.premiumDailyPaise),
            sponsor_contribution: money(policy.premiumSponsorPaise),
          },
          start_date: policy.startDate,
          end_date: policy.endDate,
          created_at: policy.createdAt.toISOString(),
        }))
        return { data, limit, offset, total }
      },
    )

    const TokenInput = Type.Object({
      id_proof: Type.Object({ number: Type.String() }),
      phone_country_code: Type.String(),
      phone_number: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
      email: Type.String(),
    })
    const Token = Type.Object({ access_token: Type.String(), user_id: Type.String() })

    main.post('/auth/token', { schema: { body: TokenInput, response: { 200: Token } } }, async ({ body, claims }) => {
      const { platform_id } = claims
      const profile = { firstName: body.first_name, lastName: body.last_name, email: body.email }
      const [user] = await db
        .insert(users)
        .values({
          id: randomUUID(),
          platformId: platform_id,
          phone: body.phone_country_code + body.phone_number,
          idProof: body.id_proof.number,
          ...profile,
        })
        .onConflictDoUpdate({ target: [users.platformId, users.phone], set: profile })
        .returning({ id: users.id })
      const access_token = await new SignJWT({ role: 'user', platform_id, user_id: user!.id })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: jwk.kid })
        .setIssuer(ISSUER)
        .setAudience(`${ISSUER}/v1`)
        .setSubject(user!.id)
        .setJti(randomUUID())
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey)
      return { access_token, user_id: user!.id }
    })

    const Dependant = Type.Object({ first_name: Type.String(), last_name: Type.String(), date_of_birth: Type.String() })
    const Made = Type.Object({ data: Type.Array(Type.Object({ id: Type.String(), ...Dependant.properties })) })

    main.post(
      '/users/:userId/dependants/bulk',
      { schema: { params: UserId, body: Type.Object({ dependants: Type.Array(Dependant) }), response: { 201: Made } } },
      async ({ params: { userId }, body, claims }, reply) => {
        const user = await db.query.users.findFirst({
          columns: { id: true },
          where: and(eq(users.id, userId), eq(users.platformId, claims.platform_id)),
        })
        if (!user) return reply.callNotFound() as never
        const rows = await db
          .insert(dependants)
          .values(
            body.dependants.map((one) => ({
              id: randomUUID(),
              userId,
              firstName: one.first_name,
              lastName: one.last_name,
              dateOfBirth: one.date_of_birth,
            })),
          )
          .returning()
        return reply.code(201).send({ data: rows.map((row) => ({ ...person(row), date_of_birth: row.dateOfBirth })) })
      },
    )
  },
  { prefix: '/v1' },
)

app.register(
  async (scope) => {
    const wallet = scope.withTypeProvider<TypeBoxTypeProvider>()
    wallet.addHook('onRequest', bearer('/wallet/v1'))
    const Created = Type.Object({ partner_wallet_id: Type.String(), wallet_status: Type.String() })
    const Status = Type.Object({ wallet_id: Type.String(), wallet_status: Type.String() })

    wallet.post('/wallet', { schema: { response: { 200: Created, 201: Created } } }, async ({ claims }, reply) => {
      const [made] = await db
        .insert(wallets)
        .values({ userId: claims.user_id, id: randomUUID(), status: 'PENDING' })
        .onConflictDoNothing()
        .returning()
      const found = made ?? (await db.query.wallets.findFirst({ where: eq(wallets.userId, claims.user_id) }))
      return reply.code(made ? 201 : 200).send({ partner_wallet_id: found!.id, wallet_status: found!.status })
    })

    wallet.get(
      '/wallet/:walletId/status',
      { schema: { params: Type.Object({ walletId: Type.String() }), response: { 200: Status } } },
      async ({ params: { walletId }, claims }, reply) => {
        const found = await db.query.wallets.findFirst({
          where: and(eq(wallets.userId, claims.user_id), eq(wallets.id, walletId)),
        })
        return found ? { wallet_id: found.id, wallet_status: found.status } : (reply.callNotFound() as never)
      },
    )
  },
  { prefix: '/wallet/v1' },
)

await app.listen({ port: Number(PORT), host: '127.0.0.1' })
