import { SQL } from 'bun'
import { Elysia, t } from 'elysia'
import { importJWK, jwtVerify, SignJWT } from 'jose'

const { PORT, DATABASE_URL = '', ISSUER, SIGNING_JWK = '', POOL_SIZE } = process.env
const url = new URL(DATABASE_URL)
const sql = new SQL({
  adapter: 'postgres',
  path: `${url.searchParams.get('host')}/.s.PGSQL.${url.port}`,
  username: url.username,
  database: url.pathname.slice(1),
  max: Number(POOL_SIZE),
})

const jwk = JSON.parse(SIGNING_JWK)
const { d: _, ...publicJwk } = jwk
const privateKey = await importJWK(jwk, 'EdDSA')
const publicKey = await importJWK(publicJwk, 'EdDSA')

type Claims = { platform_id: string; user_id: string }

/** A plugin that resolves the bearer token of every request to its claims. */
const bearer = (path: string) =>
  new Elysia().resolve({ as: 'scoped' }, async ({ headers: { authorization = '' }, status }) => {
    const options = { algorithms: ['EdDSA'], issuer: ISSUER, audience: `${ISSUER}${path}` }
    const verified = await jwtVerify<Claims>(authorization.slice(7), publicKey, options).catch(() => undefined)
    return verified ? { claims: verified.payload } : status(401, {})
  })

const money = (paise: number) => ({ currency: 'INR', value: paise / 100 })

const main = new Elysia({ prefix: '/v1' })
  .use(bearer('/v1'))
  .get(
    '/users/:id/insurance_policies',
    async ({ params: { id }, claims, query: { limit, offset } }) => {
      const rows = await sql`
      select count(*) over ()::int as total, u.first_name, u.last_name, p.*, p.start_date::text as starts,
             p.end_date::text as ends, b.name as benefit_name,
             (select json_agg(json_build_object('id', d.dependant_id, 'first_name', d.first_name, 'last_name', d.last_name))
                from dependants d where d.dependant_id = any (p.dependant_ids)) as dependants
        from users u join policies p using (user_id) join benefits b using (benefit_id)
       where u.user_id = ${id} and u.platform_id = ${claims.platform_id}
       order by p.created_at desc, p.policy_id limit ${limit} offset ${offset}`
      const data = rows.map((row: any) => ({
        id: row.policy_id,
        benefit_id: row.benefit_id,
        benefit_name: row.benefit_name,
        plan_code: row.plan_code,
        primary_member: { id, first_name: row.first_name, last_name: row.last_name },
        dependant_ids: row.dependant_ids,
        dependants: row.dependants,
        premium_amounts: {
          annual: money(row.premium_annual_paise),
          daily: money(row.premium_daily_paise),
          sponsor_contribution: money(row.premium_sponsor_paise),
        },
        start_date: row.starts,
        end_date: row.ends,
        created_at: row.created_at,
      }))
      return { data, limit, offset, total: rows[0]?.total ?? 0 }
    },
    { query: t.Object({ limit: t.Number({ default: 20 }), offset: t.Number({ default: 0 }) }) },
  )
  .post(
    '/auth/token',
    async ({ body, claims: { platform_id } }) => {
      const id = crypto.randomUUID()
      const phone = body.phone_country_code + body.phone_number
      const [user] = await sql`
      insert into users (user_id, platform_id, phone, id_proof, first_name, last_name, email)
      values (${id}, ${platform_id}, ${phone}, ${body.id_proof.number}, ${body.first_name}, ${body.last_name}, ${body.email})
          on conflict (platform_id, phone) do update
             set first_name = excluded.first_name, last_name = excluded.last_name, email = excluded.email
      returning user_id`
      const access_token = await new SignJWT({ role: 'user', platform_id, user_id: user.user_id })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: jwk.kid })
        .setIssuer(ISSUER!)
        .setAudience(`${ISSUER}/v1`)
        .setSubject(user.user_id)
        .setJti(crypto.randomUUID())
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey)
      return { access_token, user_id: user.user_id }
    },
    {
      body: t.Object({
        id_proof: t.Object({ number: t.String() }),
        phone_country_code: t.String(),
        phone_number: t.String(),
        first_name: t.String(),
        last_name: t.String(),
        email: t.String(),
      }),
    },
  )
  .post(
    '/users/:id/dependants/bulk',
    async ({ params: { id }, body, claims, status }) => {
      const [user] = await sql`select user_id from users where user_id = ${id} and platform_id = ${claims.platform_id}`
      if (!user) return status(404, {})
      const rows = body.dependants.map((one) => ({ dependant_id: crypto.randomUUID(), user_id: id, ...one }))
      await sql`insert into dependants ${sql(rows)}`
      return status(201, { data: rows.map(({ dependant_id, user_id: _, ...one }) => ({ id: dependant_id, ...one })) })
    },
    {
      body: t.Object({
        dependants: t.Array(t.Object({ first_name: t.String(), last_name: t.String(), date_of_birth: t.String() })),
      }),
    },
  )

const wallets = new Elysia({ prefix: '/wallet/v1' })
  .use(bearer('/wallet/v1'))
  .post('/wallet', async ({ claims: { user_id }, status }) => {
    const [made] = await sql`
      insert into wallets (user_id, wallet_id, wallet_status) values (${user_id}, ${crypto.randomUUID()}, 'PENDING')
          on conflict do nothing returning wallet_id, wallet_status`
    const [wallet] = made ? [made] : await sql`select wallet_id, wallet_status from wallets where user_id = ${user_id}`
    return status(made ? 201 : 200, { partner_wallet_id: wallet.wallet_id, wallet_status: wallet.wallet_status })
  })
  .get('/wallet/:id/status', async ({ params: { id }, claims: { user_id }, status }) => {
    const [wallet] = await sql`
      select wallet_id, wallet_status from wallets where user_id = ${user_id} and wallet_id = ${id}`
    return wallet ? { wallet_id: wallet.wallet_id, wallet_status: wallet.wallet_status } : status(404, {})
  })

new Elysia()
  .get('/livez', () => ({}))
  .use(main)
  .use(wallets)
  .listen({ port: Number(PORT), hostname: '127.0.0.1' })
