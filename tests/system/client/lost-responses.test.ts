import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Banyan, Money, userId } from '../../../client/src/index.ts'
import { openTestApp } from '../../support/app.ts'
import { openBookings } from '../../support/bookings.ts'
import { type Disturbance, openBadNetwork } from '../../support/bad-network.ts'

const t = await openTestApp({ own: true })
const bookings = openBookings(t)
const proxy = await openBadNetwork(await t.app.listen({ host: '127.0.0.1', port: 0 }))

const WRITES = 1_000
const AT_ONCE = 40
const PAISE = 100
/** Half of the attempts fail: with 13, one of a thousand writes would not be done in every eighth run. */
const REPEATING = { maxRetries: 50, timeout: 900_000 }
/** Of ten requests seven have bad luck. */
const DISTURBANCES: Disturbance[] = [
  'lose',
  'cut',
  'break',
  'lose',
  { delayMs: 30 },
  { delayMs: 60 },
  { status: 503 },
  'pass',
  'pass',
  'pass',
]

describe('1,000 writes over a network that loses, cuts, breaks and delays', () => {
  it('are each done, and each once', async () => {
    const holder = await bookings.holder()
    const { platform, user } = holder
    let count = 0
    proxy.disturbanceOf = () => DISTURBANCES[count++ % DISTURBANCES.length] ?? 'pass'
    const banyan = new Banyan({ basicToken: platform.basicToken, baseUrl: proxy.url, ...REPEATING })
    const { wallet } = banyan.user(userId(user.id))
    let next = 0
    const acknowledged: string[] = []
    const work = async () => {
      while (next < WRITES) {
        const { reference } = await wallet.credit(Money.paise(PAISE), { reference: `write-${next++}` })
        acknowledged.push(reference)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    assert.equal(new Set(acknowledged).size, WRITES, 'none is lost')
    await bookings.assertBooked(holder, { balance: WRITES * PAISE, transactions: WRITES })

    const writes = proxy.seen.filter(({ path }) => path.endsWith('/credits'))
    const keys = new Set(writes.map(({ headers }) => headers['idempotency-key']))
    assert.equal(keys.size, WRITES, 'one key for each write, however often it was sent')
    assert(writes.length > WRITES * 1.5, `the network was bad: ${writes.length} requests`)
  })
})
