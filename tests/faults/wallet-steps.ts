import { setTimeout as sleep } from 'node:timers/promises'
import type { Body } from '../support/app.ts'
import { acknowledge } from './journal.ts'
import { DIAL_CODE, type Context, type Member, type Step, write } from './member.ts'
import { messagesTo } from './sandbox.ts'
import type { ClientRequest, Sent } from './traffic.ts'

const CODES_PER_HOUR = 5
const RESEND_MS = 31_000
/** A code is valid for five minutes; one that has not arrived after this long is abandoned. */
const CODE_MS = 4 * 60_000
/** An access token lives for 15 minutes. */
const ACCESS_MS = 10 * 60_000
/** The predecessor of a refresh token may be used again for ten seconds. */
const GRACE_MS = 8_000
const PAUSE_MS = 200
const AMOUNT_MAX = 100_00

const WALLET = '/wallet/v1'

const isActive = ({ isRetired }: Member) => !isRetired
const canRequestCode = ({ codes }: Member) =>
  !codes.open && codes.asked < CODES_PER_HOUR && performance.now() > codes.next
const isFresh = ({ session }: Member) => session !== undefined && performance.now() - session.since < ACCESS_MS
const canBook = ({ isRetired, wallet }: Member) => !isRetired && wallet?.isCompleted === true

/** The steps to a wallet, in order. */
export const WALLET_STEPS: Step[] = [
  {
    name: 'one-time code',
    weight: 6,
    suits: (member) => isActive(member) && !member.session && canRequestCode(member),
    run: requestCode,
  },
  { name: 'sign-in', weight: 8, suits: (member) => member.codes.open !== undefined, run: signIn },
  {
    name: 'wallet',
    weight: 8,
    suits: (member) => isActive(member) && isFresh(member) && !member.wallet,
    run: createWallet,
  },
  {
    name: 'wallet status',
    weight: 6,
    suits: (member) => isFresh(member) && member.wallet?.isCompleted === false,
    run: readWalletStatus,
  },
]

/** The steps with an existing wallet. */
export const BOOKING_STEPS: Step[] = [
  { name: 'credit', weight: 8, suits: canBook, run: credit },
  { name: 'debit', weight: 5, suits: (member) => canBook(member) && (member.wallet?.balance ?? 0) > 0, run: debit },
  { name: 'refresh', weight: 4, suits: ({ session }) => session !== undefined, run: refresh },
]

const from = ({ address }: Member) => ({ 'x-forwarded-for': address })

type Post = { path: string; body: object }

/** Calls without authentication that no key repeats. */
async function post(
  context: Context,
  member: Member,
  { path, body }: Post,
): Promise<{ clientRequest: ClientRequest; sent: Sent }> {
  const clientRequest = {
    group: context.group,
    method: 'POST',
    path: `${WALLET}${path}`,
    headers: from(member),
    body,
  } as const
  return { clientRequest, sent: await context.traffic.send(clientRequest, context.random) }
}

async function requestCode(context: Context, member: Member): Promise<void> {
  const { codes, phone } = member
  const body = { platform_id: context.tenant.platformId, phone_country_code: DIAL_CODE, phone_number: phone }
  const entry = context.journal.begin({ kind: 'code', of: phone, name: String(codes.asked++), isOnce: true })
  const { clientRequest, sent } = await post(context, member, { path: '/auth/otp', body })
  if (sent.outcome === 'unsent') return
  codes.next = performance.now() + RESEND_MS
  if (sent.outcome === 'responded' && sent.reply.status === 202) {
    acknowledge(entry, sent.reply.body)
    codes.open = { id: sent.reply.body.challenge_id, since: performance.now() }
  } else if (sent.outcome === 'responded' && sent.reply.status < 500) {
    context.traffic.offend('refused', clientRequest, sent.reply)
  } else entry.pending++
}

async function signIn(context: Context, member: Member): Promise<void> {
  const { codes } = member
  if (!codes.open) return
  const { id: challenge_id, since } = codes.open
  const text = (await messagesTo(context.sandboxUrl, DIAL_CODE + member.phone)).findLast(
    (text) => !codes.tried.has(text),
  )
  if (text === undefined) {
    if (performance.now() - since > CODE_MS) codes.open = undefined
    return
  }
  codes.tried.add(text)
  const { sent } = await post(context, member, {
    path: '/auth/otp/verify',
    body: { challenge_id, otp: text.slice(0, 6) },
  })
  if (sent.outcome === 'responded' && sent.reply.status === 200) member.session = sessionOf(sent.reply.body)
  // A 401 may be about the code of an earlier challenge, whose response was lost; the code may be used up.
  if (sent.outcome !== 'responded' || sent.reply.status !== 401) codes.open = undefined
}

const sessionOf = ({ access_token, refresh_token }: Body) => ({
  access: access_token,
  refresh: refresh_token,
  since: performance.now(),
  hasPending: false,
})

async function createWallet(context: Context, member: Member): Promise<void> {
  const { session, userId } = member
  if (!session) return
  const made = await write(context, {
    kind: 'wallet',
    of: userId,
    name: userId,
    isNatural: true,
    method: 'POST',
    path: `${WALLET}/wallet`,
    token: session.access,
    headers: from(member),
  })
  if (made) member.wallet = { id: made.partner_wallet_id, isCompleted: made.wallet_status === 'COMPLETED', balance: 0 }
}

async function readWalletStatus(context: Context, member: Member): Promise<void> {
  const { session, wallet } = member
  if (!session || !wallet) return
  const path = `${WALLET}/wallet/${wallet.id}/status`
  const clientRequest = { group: context.group, method: 'GET', path, token: session.access } as const
  const sent = await context.traffic.send(clientRequest, context.random)
  if (sent.outcome !== 'responded') return
  const { status, body } = sent.reply
  if (status === 200) wallet.isCompleted = body.wallet_status === 'COMPLETED'
  else if (status < 500) context.traffic.offend('refused', clientRequest, sent.reply)
}

/** The next pair; after no response the same token is sent again, which the program accepts for a while. */
async function refresh(context: Context, member: Member): Promise<void> {
  const { session } = member
  if (!session) return
  const since = performance.now()
  const isInGrace = () => performance.now() - since < GRACE_MS
  const body = { refresh_token: session.refresh }
  let hasPending = session.hasPending
  member.session = undefined
  do {
    const { clientRequest, sent } = await post(context, member, { path: '/auth/token/refresh', body })
    if (sent.outcome === 'responded' && sent.reply.status === 200) {
      member.session = { ...sessionOf(sent.reply.body), hasPending }
      return
    }
    if (sent.outcome === 'responded' && sent.reply.status === 401) {
      // An older token that waited in a frozen process counts as stolen and ends the session, correctly.
      if (!session.hasPending && isInGrace()) context.traffic.offend('refused', clientRequest, sent.reply)
      return
    }
    hasPending ||= sent.outcome !== 'unsent'
    await sleep(PAUSE_MS)
  } while (isInGrace())
}

function credit(context: Context, member: Member): Promise<void> {
  return book(context, member, { type: 'CREDIT', amount: context.random.between(1, AMOUNT_MAX) })
}

function debit(context: Context, member: Member): Promise<void> {
  return book(context, member, { type: 'DEBIT', amount: context.random.between(1, member.wallet?.balance ?? 1) })
}

type Booking = { type: 'CREDIT' | 'DEBIT'; amount: number }

/** Books once for one key. The client's balance includes only certain bookings. */
export async function book(context: Context, { userId, wallet }: Member, { type, amount }: Booking): Promise<void> {
  if (!wallet) return
  if (type === 'DEBIT') wallet.balance -= amount
  const reference = context.random.word()
  const booked = await write(context, {
    kind: 'booking',
    of: userId,
    name: reference,
    method: 'POST',
    path: `/v1/users/${userId}/wallet/${type === 'CREDIT' ? 'credits' : 'debits'}`,
    token: await context.tenant.platform(),
    body: { amount, reference },
  })
  if (type === 'CREDIT' && booked) wallet.balance += amount
}
