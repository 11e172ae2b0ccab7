import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import {
  Banyan,
  ConnectionError,
  Money,
  policyId,
  RedirectError,
  TimeoutError,
  UnreadableError,
  userId,
  WaitError,
} from '../../../client/src/index.ts'
import { type Behaviour, MISBEHAVED_USER_ID, openMisbehavingNetwork } from '../../support/misbehaving-server.ts'

const server = await openMisbehavingNetwork()
const holder = userId(MISBEHAVED_USER_ID)
const policy = policyId('pol_1')
const PDF = new TextEncoder().encode('%PDF-1.7')

type Options = { signal: AbortSignal; timeout?: number }
type Kind = {
  call: (banyan: Banyan, options: Options) => PromiseLike<unknown>
  /** The part of the path that its requests have, if others come before. */
  path?: string
  credentials?: { basicToken: string }
  /** It has no key and changes something, so it is not repeated. */
  isSentOnce?: true
  /** It has been handed over when its body breaks off. */
  isStream?: true
}

const KINDS: Record<string, Kind> = {
  'the exchange of a basic_token': {
    call: (banyan, options) => banyan.user(holder).read(options),
    path: '/oauth/token',
    credentials: { basicToken: 'YTpi' },
  },
  'a refresh': {
    call: (banyan, options) => banyan.wallet.refreshToken({ refresh_token: 'refresh-1' }, options),
  },
  'a read': { call: (banyan, options) => banyan.user(holder).read(options) },
  'a list': { call: (banyan, options) => banyan.users.list({ limit: 50 }, options).all(10) },
  'a write': {
    call: (banyan, options) => banyan.user(holder).wallet.credit(Money.paise(50_000), { reference: 'june' }, options),
  },
  'an upload': {
    call: (banyan, options) => banyan.user(holder).policies.uploadDocument(policy, 'policy_certificate', PDF, options),
    isSentOnce: true,
  },
  'a download': {
    call: async (banyan, options) =>
      (await banyan.user(holder).policies.downloadDocument(policy, 'policy_certificate', options)).bytes(),
    isStream: true,
  },
  'a page of events': { call: (banyan, options) => banyan.events.list({ limit: 1 }, options) },
  'a webhook endpoint': {
    call: (banyan, options) =>
      banyan.webhookEndpoints.create({ url: 'https://p.example', event_types: ['policy.*'] }, options),
  },
}

/** A signal that lives as long as its program, and knows who still listens. */
function longLived() {
  const { signal } = new AbortController()
  let listeners = 0
  const add = signal.addEventListener.bind(signal) as (...input: unknown[]) => void
  const remove = signal.removeEventListener.bind(signal) as (...input: unknown[]) => void
  return Object.assign(signal, {
    addEventListener: (...input: unknown[]) => (listeners++, add(...input)),
    removeEventListener: (...input: unknown[]) => (listeners--, remove(...input)),
    listeners: () => listeners,
  })
}

/** Makes the call at an address of this behaviour; returns its result or error, and how many requests it took. */
async function outcomeOf(kind: Kind, behaviour: Behaviour | `${Behaviour}-once`, settings: object, options = {}) {
  const baseUrl = server.urlOf(behaviour)
  const banyan = new Banyan({ ...(kind.credentials ?? { accessToken: 'token' }), baseUrl, ...settings })
  const signal = longLived()
  const [outcome] = await Promise.allSettled([Promise.resolve(kind.call(banyan, { signal, ...options }))])
  assert.equal(signal.listeners(), 0, 'nothing listens to the signal any more')
  const requests = server.seenAt(baseUrl, kind.path)
  return { ...(outcome as { reason?: unknown; value?: unknown }), requests }
}

describe('a service that misbehaves', () => {
  for (const [name, kind] of Object.entries(KINDS)) {
    for (const behaviour of ['hang', 'stall'] as const)
      it(`${behaviour}: ${name} ends when its timeout is over, whatever it waits for`, async () => {
        // Without the limit of the call it would end after the 20 s of an attempt, as a lost connection.
        const { reason, requests } = await outcomeOf(kind, behaviour, {}, { timeout: 300 })
        assert(reason instanceof TimeoutError, String(reason))
        assert(requests.length <= 1)
      })

    for (const behaviour of ['half', 'cut'] as const)
      it(`${behaviour}: ${name} is repeated if it may be, and then says that the connection was lost`, async () => {
        const { reason, requests } = await outcomeOf(kind, behaviour, { maxRetries: 1 })
        assert(reason instanceof ConnectionError, String(reason))
        const isOnce = kind.isSentOnce ?? (behaviour === 'half' && kind.isStream)
        assert.equal(requests.length, isOnce ? 1 : 2)
        const keys = requests.map(({ headers }) => headers['idempotency-key'])
        assert.deepEqual([new Set(keys).size, reason.idempotencyKey], [1, kind.path ? undefined : keys[0]])
      })

    it(`cut-once: ${name} succeeds at the second attempt, if it has one`, async () => {
      const { reason, requests } = await outcomeOf(kind, 'cut-once', {})
      assert.equal(reason instanceof ConnectionError, kind.isSentOnce === true, String(reason))
      assert.equal(requests.length, kind.isSentOnce ? 1 : 2)
    })

    for (const behaviour of ['html', 'empty'] as const)
      it(`${behaviour}: ${name} is sent once, and says that the response is not of the service`, async () => {
        const { reason, requests } = await outcomeOf(kind, behaviour, {})
        assert(reason instanceof UnreadableError, String(reason))
        assert.deepEqual([reason.code, reason.status], ['unreadable', behaviour === 'html' ? 200 : 204])
        assert.match(
          reason.message,
          behaviour === 'html' ? /it is text\/html, no .*Check baseUrl/ : /it is nothing, no /,
        )
        assert.equal(requests.length, 1)
        assert.equal(reason.idempotencyKey, requests[0]?.headers['idempotency-key'])
      })

    it(`redirect: ${name} is sent once, and not elsewhere`, async () => {
      const { reason, requests } = await outcomeOf(kind, 'redirect', {})
      assert(reason instanceof RedirectError, String(reason))
      assert.equal(requests.length, 1)
    })

    for (const behaviour of ['newer', 'clock', 'slow', 'plain'] as const)
      it(`${behaviour}: ${name} succeeds at once`, async () => {
        const { reason, value, requests } = await outcomeOf(kind, behaviour, {})
        assert.deepEqual([reason, requests.length], [undefined, 1])
        assert.notEqual(value, undefined)
      })
  }

  it('has what it should not in a record: the rest is read', async () => {
    const baseUrl = server.urlOf('newer')
    const banyan = new Banyan({ accessToken: 'token', baseUrl })
    const person = await banyan.user(holder).read()
    const { loyalty, status, amount_in_points } = person as unknown as Record<string, unknown>
    assert.deepEqual([loyalty, status, amount_in_points], [{ tier: 'GOLD' }, 'HIBERNATING', 12.5])
    assert.equal(person.created_at.toISOString(), '2026-04-01T09:30:00.000Z')
  })
})

/** A `fetch` that does what a function says, without a network. */
const fake = (respond: (url: string, init: RequestInit) => Promise<Response> | Response) =>
  (async (url: string, init: RequestInit) => respond(url, init)) as typeof fetch
const jsonFetch = (body: unknown, requests: string[] = []) =>
  fake((url) => {
    requests.push(url)
    return Response.json(body)
  })
const hanging = (requests: string[] = []) =>
  fake((url) => {
    requests.push(url)
    return new Promise(() => {})
  })

describe('one time limit holds', () => {
  it('while a token is fetched, by the program or from the service', async () => {
    for (const settings of [{ accessToken: () => new Promise<string>(() => {}) }, { basicToken: 'YTpi' }]) {
      const banyan = new Banyan({ ...settings, fetch: hanging() })
      await assert.rejects(banyan.user(holder).read({ timeout: 50 }), TimeoutError)
    }
  })

  it('for all attempts of a refresh: they begin within the ten seconds that the service allows', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const requests: string[] = []
      const refreshing = new Banyan({ fetch: hanging(requests), attemptTimeout: 60_000 }).wallet.resume('refresh-1')
      const rejected = assert.rejects(refreshing, TimeoutError)
      const counts: number[] = []
      for (let second = 0; second < 10; second++) {
        for (let step = 0; step < 10; step++) {
          await new Promise((resolve) => setImmediate(resolve))
          mock.timers.tick(100)
        }
        counts.push(requests.length)
      }
      await rejected
      assert.equal(counts[2], 1)
      assert(Number(counts[4]) >= 2, 'the second attempt follows after 3 s')
      assert.equal(counts[8], counts[9], 'none begins later')
    } finally {
      mock.timers.reset()
    }
  })

  it('for a wait, which ends as a WaitError also if nothing was ever read', async () => {
    const banyan = new Banyan({ accessToken: 'token', fetch: hanging() })
    const waiting = banyan.user(holder).policies.waitFor(policy, 'ISSUED', { timeout: 50 })
    await assert.rejects(
      waiting,
      (error) => error instanceof WaitError && error.last === undefined && error.cause instanceof TimeoutError,
    )
  })

  it('that is longer than a timer can hold is not over at once', async () => {
    const banyan = new Banyan({ accessToken: 'token', fetch: jsonFetch({ user_id: holder }), timeout: Infinity })
    assert.equal((await banyan.user(holder).read()).user_id, holder)
  })

  it('also for a document that nobody reads, and for a signal that is aborted while it comes', async () => {
    const baseUrl = server.urlOf('stall')
    const banyan = new Banyan({ accessToken: 'token', baseUrl })
    const { policies } = banyan.user(holder)
    const unread = await policies.downloadDocument(policy, 'policy_certificate', { timeout: 2_000 })
    await assert.rejects(unread.body.getReader().read(), TimeoutError)
    const reason = new Error('The person left')
    const controller = new AbortController()
    const left = await policies.downloadDocument(policy, 'policy_certificate', { signal: controller.signal })
    const reading = assert.rejects(left.bytes(), reason)
    controller.abort(reason)
    await reading
  })
})

describe('tokens', () => {
  const signedIn = (
    handOver: (pair: { refresh_token: string }) => void | Promise<void>,
    behaviour: Behaviour = 'plain',
  ) => {
    const baseUrl = server.urlOf(behaviour)
    return { baseUrl, session: new Banyan({ baseUrl }).wallet.resume('refresh-1', { onTokens: handOver }) }
  }

  it('are handed over before the call goes on, and a failure to store them fails it', async () => {
    let stored = ''
    const { session } = signedIn(async ({ refresh_token }) => {
      await new Promise((resolve) => setImmediate(resolve))
      stored = refresh_token
    })
    await session
    assert.equal(stored, 'refresh-2')
    const full = new Error('The disk is full')
    await assert.rejects(signedIn(() => Promise.reject(full)).session, full)
  })

  it('of a refresh that could not be stored are handed over again, without another refresh', async () => {
    let isFull = false
    let stores = 0
    const { baseUrl, session } = signedIn(() => {
      stores++
      if (isFull) throw new Error('The disk is full')
    })
    const wallet = await session
    isFull = true
    const { now } = Date
    Date.now = () => now() + 900_000
    try {
      await assert.rejects(wallet.read(), /The disk is full/)
      isFull = false
      await wallet.read()
    } finally {
      Date.now = now
    }
    assert.deepEqual([stores, server.seenAt(baseUrl, '/refresh').length], [3, 2])
  })

  it('last as long as they say, whatever the clock of the phone', async () => {
    const { baseUrl, session } = signedIn(() => {}, 'clock') // as a phone sees it whose clock is a year ahead
    const wallet = await session
    for (let count = 0; count < 10; count++) await wallet.read()
    assert.equal(server.seenAt(baseUrl, '/refresh').length, 1)
  })
})

describe('lists', () => {
  it('are sent when they are awaited or iterated, once, and not before', async () => {
    const requests: string[] = []
    const banyan = new Banyan({
      accessToken: 'token',
      fetch: jsonFetch({ data: [{ user_id: holder }], total: 1, offset: 0 }, requests),
    })
    const list = banyan.users.list()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(requests.length, 0, 'so an error elsewhere leaves no rejection behind')
    const [page, { data }] = await Promise.all([list, list.then((same) => same)])
    for await (const entry of list) assert.deepEqual(entry, page.data[0])
    assert.deepEqual([data.length, requests.length], [1, 1])
  })

  it('whose pages repeat end with an error instead of never', async () => {
    for (const page of [
      { data: [{ id: 'evt_1' }], next: 'evt_1', has_more: true },
      { data: [{ id: 'evt_1' }], offset: 0, total: 100 },
    ]) {
      const banyan = new Banyan({ accessToken: 'token', fetch: jsonFetch(page) })
      await assert.rejects(banyan.events.list().all(1_000), /its pages repeat/)
    }
  })

  it('without entries are not of the service', async () => {
    const banyan = new Banyan({ accessToken: 'token', fetch: jsonFetch({ hello: 'world' }) })
    await assert.rejects(banyan.users.list().all(1), UnreadableError)
  })
})

describe('what is wrong before anything is sent', () => {
  it('is an error at once: baseUrl', () => {
    for (const baseUrl of [
      'localhost:9300',
      'htp://x',
      '',
      'http://',
      'https://a.example?x=1',
      'https://a b',
      'https://user@a.example',
    ])
      assert.throws(
        () => new Banyan({ accessToken: 'token', baseUrl }),
        /^TypeError: baseUrl is an address such as/,
        baseUrl,
      )
    for (const baseUrl of ['https://api.example.com/v1/', 'http://[::1]:8080', undefined])
      assert(new Banyan({ accessToken: 'token', baseUrl }))
    assert.throws(() => new Banyan({ walletBaseUrl: 'wallet' }), /walletBaseUrl is an address/)
  })

  it('is an error at once: a header that cannot be sent, a credential that is empty', async () => {
    const requests: string[] = []
    const fetch = hanging(requests)
    await assert.rejects(
      new Banyan({ accessToken: 'tok…n', fetch }).user(holder).read(),
      /^TypeError: authorization has a character/,
    )
    await assert.rejects(
      new Banyan({ accessToken: 't', fetch }).user(holder).read({ purpose: 'शिकायत' }),
      /^TypeError: purpose has a character/,
    )
    await assert.rejects(new Banyan({ basicToken: '', fetch }).user(holder).read(), /needs the setting basicToken/)
    assert.deepEqual(requests, [])
  })
})

describe('what cannot be read', () => {
  it('names an amount that is no whole number of paise, and is sent once', async () => {
    for (const record of [{ balance: 0.5 }, { premium: { currency: 'KWD', value: 1.234 } }]) {
      const requests: string[] = []
      const banyan = new Banyan({ accessToken: 'token', fetch: jsonFetch(record, requests) })
      await assert.rejects(banyan.user(holder).wallet.read(), /^UnreadableError: .*whole number of paise/)
      assert.equal(requests.length, 1)
    }
  })

  it('is a token that is none', async () => {
    const fetch = jsonFetch({ hello: 'world' })
    await assert.rejects(new Banyan({ basicToken: 'YTpi', fetch }).user(holder).read(), /it has no access_token/)
    await assert.rejects(new Banyan({ fetch }).wallet.resume('r'), /it has no access_token/)
  })

  it('of an error is its status, with the advice to check the address', async () => {
    const fetch = fake(() => new Response('<h1>No such page</h1>', { status: 404 }))
    const reading = new Banyan({ accessToken: 'token', fetch }).user(holder).read()
    await assert.rejects(reading, /^NotFoundError: 404 error: the response has no details. Check baseUrl$/)
  })

  it('of a 500 is repeated with the same key', async () => {
    let count = 0
    const fetch = fake(() => (count++ === 0 ? new Response('', { status: 500 }) : Response.json({ balance: 1 })))
    assert(
      (await new Banyan({ accessToken: 'token', fetch }).user(holder).wallet.read()).balance.equals(Money.paise(1)),
    )
    assert.equal(count, 2)
  })

  it('in Retry-After is a date, by the clock of the server', async () => {
    const date = new Date(Date.now() - 86_400_000)
    const later = new Date(date.getTime() + 3_600_000)
    const headers = { date: date.toUTCString(), 'retry-after': later.toUTCString() }
    const fetch = fake(() => new Response('', { status: 503, headers }))
    const reading = new Banyan({ accessToken: 'token', fetch }).user(holder).read()
    await assert.rejects(reading, { name: 'UnavailableError', retryAfterMs: 3_600_000 })
  })
})
