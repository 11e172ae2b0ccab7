import assert from 'node:assert/strict'
import { ask, type Request } from './ask.ts'
import { drive, repeating, type Round, type Source } from './drive.ts'
import type { Person, Tenant } from './fill.ts'
import type { Stage } from './stage.ts'

const SAMPLES = 50

/** What is measured. */
export type Operation = {
  name: string
  /** What product and floor answer must agree, or they do not do the same work. */
  check(): Promise<void>
  /** Runs one round against a server. */
  load(url: string, seconds: number): Promise<Round>
  /** After the last round: what was written, when something is. */
  checkAfterwards?(): Promise<void>
}

export function operationsOn({ platformToken, people }: Tenant, stage: Stage): Operation[] {
  const authorization = `Bearer ${platformToken}`
  const list = ({ userId }: Person) => ({
    method: 'GET',
    path: `/v1/users/${userId}/insurance_policies`,
    headers: { authorization },
  })
  const token = ({ form }: Person) => ({
    method: 'POST',
    path: '/v1/auth/token',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(form),
  })
  return [
    repeatable('list policies', () => people.map(list), { stage, comparable: (response) => response }),
    repeatable('issue token', () => people.map(token), { stage, comparable: (response) => withoutChance(response) }),
  ]
}

type Comparing = { stage: Stage; comparable: (response: string) => unknown }

/**
 * An operation whose requests can be sent again and again, because they change nothing. They are made when the first
 * round begins, so that their tokens last.
 */
export function repeatable(name: string, makeRequests: () => Request[], { stage, comparable }: Comparing): Operation {
  let source: Source | undefined
  const check = async () => {
    const requests = makeRequests()
    const step = Math.floor(requests.length / SAMPLES)
    for (let index = 0; index < requests.length; index += step) {
      const request = requests[index] as Request
      const [product, floor] = await Promise.all([ask(stage.productUrl, request), ask(stage.floorUrl, request)])
      assert.equal(product.status, 200, `${name}: the product answered ${product.status}: ${product.text}`)
      assert.equal(product.type, floor.type, `${name}: one content type`)
      assert.deepEqual(comparable(product.text), comparable(floor.text), `${name}: one response`)
    }
  }
  const load = (url: string, seconds: number) => drive(url, (source ??= repeating(makeRequests())), { seconds })
  return { name, check, load }
}

/** The token opened, without what differs between any two tokens, and the lengths of answer and token. */
export function withoutChance(response: string, chanceClaims = ['jti', 'iat', 'exp']): unknown {
  const { access_token: token, ...rest } = JSON.parse(response) as { access_token: string }
  const [header, claims = {}] = token
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)
  const lasting = Object.entries(claims).filter(([claim]) => !chanceClaims.includes(claim))
  const chance = [typeof claims['jti'], Number(claims['exp']) - Number(claims['iat'])]
  return { rest, header, chance, lasting, lengths: [response.length, token.length] }
}
