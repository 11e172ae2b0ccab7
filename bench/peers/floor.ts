import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import pg from 'pg'

// The minimum for the operations of the peers: bare node:http and pg, one named statement each, the token verified.

const { env } = process
const issuer = env['ISSUER'] ?? ''
const jwk = JSON.parse(env['SIGNING_JWK'] ?? '') as JWK & { d?: string }
const { d: _, ...publicJwk } = jwk
const [privateKey, publicKey] = await Promise.all([importJWK(jwk, 'EdDSA'), importJWK(publicJwk, 'EdDSA')])
const pool = new pg.Pool({ connectionString: env['DATABASE_URL'], max: Number(env['POOL_SIZE']) })

type Claims = { platform_id: string; user_id: string }
type FloorResponse = { status: number; body: object }
type TokenInput = Record<'phone_country_code' | 'phone_number' | 'first_name' | 'last_name' | 'email', string> & {
  id_proof: { number: string }
}
type Dependant = Record<'first_name' | 'last_name' | 'date_of_birth', string>

async function verify({ headers }: IncomingMessage, path: string): Promise<Claims> {
  const token = (headers.authorization ?? '').slice('Bearer '.length)
  const options = { algorithms: ['EdDSA'], issuer, audience: `${issuer}${path}` }
  return (await jwtVerify<Claims>(token, publicKey, options)).payload
}

async function query<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values })).rows
}

const LIST = `
  select count(*) over ()::int as total, u.first_name, u.last_name, p.policy_id as id, p.benefit_id,
         b.name as benefit_name, p.plan_code, p.dependant_ids, p.start_date::text, p.end_date::text,
         p.premium_annual_paise, p.premium_daily_paise, p.premium_sponsor_paise, p.created_at,
         (select json_agg(json_build_object('id', d.dependant_id, 'first_name', d.first_name, 'last_name', d.last_name))
            from dependants d where d.dependant_id = any (p.dependant_ids)) as dependants
    from users u join policies p using (user_id) join benefits b using (benefit_id)
   where u.user_id = $1 and u.platform_id = $2
   order by p.created_at desc, p.policy_id limit 20`

type PolicyRow = Record<string, unknown> & { total: number; first_name: string; last_name: string }
const money = (paise: unknown) => ({ currency: 'INR', value: Number(paise) / 100 })

async function listPolicies({ platform_id }: Claims, userId: string): Promise<FloorResponse> {
  const rows = await query<PolicyRow>('list', LIST, [userId, platform_id])
  const data = rows.map(({ total: __, first_name, last_name, ...row }) => {
    const { premium_annual_paise, premium_daily_paise, premium_sponsor_paise, ...policy } = row
    const premium_amounts = {
      annual: money(premium_annual_paise),
      daily: money(premium_daily_paise),
      sponsor_contribution: money(premium_sponsor_paise),
    }
    return { ...policy, primary_member: { id: userId, first_name, last_name }, premium_amounts }
  })
  return { status: 200, body: { data, limit: 20, offset: 0, total: rows[0]?.total ?? 0 } }
}

const UPSERT = `
  insert into users (user_id, platform_id, phone, id_proof, first_name, last_name, email)
  values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (platform_id, phone) do update
         set first_name = excluded.first_name, last_name = excluded.last_name, email = excluded.email
  returning user_id`

async function issueToken({ platform_id }: Claims, input: TokenInput): Promise<FloorResponse> {
  const id = randomUUID()
  const { id_proof, first_name, last_name, email } = input
  const phone = input.phone_country_code + input.phone_number
  const values = [id, platform_id, phone, id_proof.number, first_name, last_name, email]
  const [user] = await query<{ user_id: string }>('upsert', UPSERT, values)
  if (!user) throw new Error('an upsert returns its row')
  const access_token = await new SignJWT({ role: 'user', platform_id, user_id: user.user_id })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: jwk.kid ?? '' })
    .setIssuer(issuer)
    .setAudience(`${issuer}/v1`)
    .setSubject(user.user_id)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
  return { status: 200, body: { access_token, user_id: user.user_id } }
}

const INSERT_DEPENDANTS = `
  insert into dependants (dependant_id, user_id, first_name, last_name, date_of_birth)
  select d.id, u.user_id, d.first_name, d.last_name, d.date_of_birth
    from users u, unnest($3::text[], $4::text[], $5::text[], $6::date[]) as d (id, first_name, last_name, date_of_birth)
   where u.user_id = $1 and u.platform_id = $2
  returning dependant_id as id, first_name, last_name, date_of_birth::text`

async function addDependants({ platform_id }: Claims, userId: string, dependants: Dependant[]): Promise<FloorResponse> {
  const column = (name: keyof Dependant) => dependants.map((dependant) => dependant[name])
  const ids = dependants.map(() => randomUUID())
  const columns = [ids, column('first_name'), column('last_name'), column('date_of_birth')]
  const data = await query('dependants', INSERT_DEPENDANTS, [userId, platform_id, ...columns])
  return data.length === 0 ? { status: 404, body: {} } : { status: 201, body: { data } }
}

type Wallet = { wallet_id: string; wallet_status: string }

async function createWallet({ user_id }: Claims): Promise<FloorResponse> {
  const text = `insert into wallets (user_id, wallet_id, wallet_status) values ($1, $2, 'PENDING')
                    on conflict do nothing returning wallet_id, wallet_status`
  const [made] = await query<Wallet>('create', text, [user_id, randomUUID()])
  const [found] = made ? [made] : await findWallet(user_id)
  if (!found) return { status: 404, body: {} }
  const body = { partner_wallet_id: found.wallet_id, wallet_status: found.wallet_status }
  return { status: made ? 201 : 200, body }
}

const findWallet = (userId: string) =>
  query<Wallet>('status', 'select wallet_id, wallet_status from wallets where user_id = $1', [userId])

async function walletStatus({ user_id }: Claims, walletId: string): Promise<FloorResponse> {
  const [wallet] = await findWallet(user_id)
  return wallet?.wallet_id === walletId ? { status: 200, body: wallet } : { status: 404, body: {} }
}

async function read<Body>(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Body
}

async function respond(request: IncomingMessage): Promise<FloorResponse> {
  const { url = '', method } = request
  if (url === '/livez') return { status: 200, body: {} }
  const [, , , id = '', last] = url.split('/')
  if (url.startsWith('/wallet/')) {
    const claims = await verify(request, '/wallet/v1')
    return method === 'POST' ? createWallet(claims) : walletStatus(claims, last ?? '')
  }
  const claims = await verify(request, '/v1')
  if (method === 'GET') return listPolicies(claims, id)
  if (url === '/v1/auth/token') return issueToken(claims, await read<TokenInput>(request))
  const { dependants } = await read<{ dependants: Dependant[] }>(request)
  return addDependants(claims, id, dependants)
}

const server = createServer((request, response) => {
  const send = ({ status, body }: FloorResponse) => {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    response.writeHead(status, headers).end(text)
  }
  respond(request).then(send, (error: unknown) => {
    console.error(error)
    send({ status: 500, body: {} })
  })
})
server.listen(Number(env['PORT']), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
