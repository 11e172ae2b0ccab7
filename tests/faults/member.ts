import type { Body } from '../support/app.ts'
import type { Reply } from '../support/server.ts'
import { acknowledge, type Entry, type Journal, type Kind } from './journal.ts'
import { repeatUntilDone, isClear, persist } from './persist.ts'
import type { Random } from './random.ts'
import type { Tenant } from './tenant.ts'
import type { ClientRequest, Group, Traffic } from './traffic.ts'
import type { Webhooks } from './webhooks.ts'

/** The context of a client. */
export type Context = {
  traffic: Traffic
  journal: Journal
  tenant: Tenant
  webhooks: Webhooks
  sandboxUrl: string
  random: Random
  group: Group
  /** The probability that the client gives up after an ambiguous attempt. */
  givesUp: number
}

export type Dependant = { id: string; firstName: string }
export type Policy = { id: string; status: string; covers: Dependant[] }
type Session = { access: string; refresh: string; since: number; hasPending: boolean }

/** A user as known to the only client that writes for them. */
export type Member = {
  userId: string
  phone: string
  /** Their IP address: one-time codes are limited by it. */
  address: string
  isOnboarded: boolean
  dependants: Dependant[]
  /** The requested plans, including those with an unknown outcome. */
  plans: string[]
  policies: Policy[]
  talkId: string | undefined
  codes: { asked: number; next: number; open: { id: string; since: number } | undefined; tried: Set<string> }
  session: Session | undefined
  wallet: { id: string; isCompleted: boolean; balance: number } | undefined
  /** Some outcome is unknown, so that nothing is certain any more; they only read. */
  isRetired: boolean
}

/** Something a member does from time to time. */
export type Step = {
  name: string
  weight: number
  suits(member: Member): boolean
  run(context: Context, member: Member): Promise<void>
}

export const DIAL_CODE = '+91'

/** The probability that a client repeats an acknowledged write. */
const REPEATS = 0.1

export async function newMember(
  context: Context,
  { phone, address }: Pick<Member, 'phone' | 'address'>,
): Promise<Member | undefined> {
  const user = await write(context, {
    kind: 'user',
    of: context.tenant.platformId,
    name: phone,
    isNatural: true,
    method: 'POST',
    path: '/v1/auth/token',
    token: await context.tenant.platform(),
    body: { phone_country_code: DIAL_CODE, phone_number: phone },
  })
  return (
    user && {
      userId: user.user_id,
      phone,
      address,
      isOnboarded: false,
      dependants: [],
      plans: [],
      policies: [],
      talkId: undefined,
      codes: { asked: 0, next: 0, open: undefined, tried: new Set() },
      session: undefined,
      wallet: undefined,
      isRetired: false,
    }
  )
}

type WriteRequest = Omit<ClientRequest, 'group'> & {
  kind: Kind
  of: string
  name: string
  /** The record is unique by nature. */
  isNatural?: boolean
  /** Repeating it has no further effect, except for its traces. */
  isHarmless?: boolean
  /**
   * For a 409: what the client finds when it checks whether an ambiguous attempt was the reason; undefined for nothing.
   */
  lookUp?: (reply: Reply, entry: Entry) => Promise<Body>
}

/**
 * Writes with a key of its own and keeps its journal. Returns the acknowledged response, undefined when there was none.
 */
export async function write(context: Context, writeRequest: WriteRequest): Promise<Body> {
  const { kind, of, name, isNatural = false, isHarmless = false, lookUp, headers, ...request } = writeRequest
  const takesKey = context.tenant.takesKey(request.method, request.path)
  const isOnce = isNatural || takesKey
  const entry = context.journal.begin({ kind, of, name, isOnce })
  const clientRequest = {
    ...request,
    group: context.group,
    headers: { ...headers, 'idempotency-key': context.random.word() },
  }
  const settled = await persist(context, {
    entry,
    clientRequest,
    mayRepeat: isOnce || isHarmless,
    givesUp: context.givesUp,
  })
  if (settled.outcome === 'unknown') return undefined
  const { outcome, reply } = settled
  if (outcome === 'acknowledged') {
    if (takesKey && context.random.chance(REPEATS)) await repeat(context, clientRequest, reply)
    return reply.body
  }
  const found = reply.status === 409 ? await lookUp?.(reply, entry) : undefined
  if (found === undefined) context.traffic.offend('refused', clientRequest, reply)
  else acknowledge(entry, found)
  return found
}

/** The same key again gets the same response, if it gets one at all. */
async function repeat(context: Context, clientRequest: ClientRequest, { text }: Reply): Promise<void> {
  const sent = await context.traffic.send(clientRequest, context.random)
  if (isClear(sent) && withoutToken(sent.reply.text) !== withoutToken(text))
    context.traffic.offend('wrong', clientRequest, sent.reply)
}

type Reading = Pick<Context, 'traffic' | 'random' | 'tenant' | 'group'>

/** Reads as the platform does. */
export async function read(context: Reading, path: string): Promise<Body> {
  return (
    await repeatUntilDone(context, {
      group: context.group,
      method: 'GET',
      path,
      token: await context.tenant.platform(),
    })
  ).body
}

const PAGE = 100

/** Returns all entries of a list, whatever its name inside the page. */
export async function readAll(
  context: Context,
  path: string,
  entriesIn: (page: Body) => Body[] = ({ data }) => data,
): Promise<Body[]> {
  const all: Body[] = []
  for (;;) {
    const page = await read(context, `${path}?limit=${PAGE}&offset=${all.length}`)
    all.push(...entriesIn(page))
    if (all.length >= page.total || entriesIn(page).length === 0) return all
  }
}

export const messagesIn = ({ data }: Body): Body[] => data.messages

/** A replayed response has an access token of its own, for the credential that asks. */
const withoutToken = (text: string) => text.replace(/"access_token":"[^"]*"/, '')
