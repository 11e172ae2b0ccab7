import assert from 'node:assert/strict'
import { ask, type Request } from './ask.ts'
import { drive, repeating, type Round, type Source } from './drive.ts'
import type { Person, Tenant } from './fill.ts'
import type { Stage } from './stage.ts'

const SAMPLES = 50

/** A measured operation. */
export type Operation = {
  name: string
  /** Checks that product and floor return the same, so that they do the same work. */
  check(): Promise<void>
  /** Runs one round against a server. */
  load(url: string, seconds: number): Promise<Round>
  /** Checks after the last round what was written, if anything. */
  checkAfterwards?(): Promise<void>
}

export function operationsOn({ platformToken, people }: Tenant, stage: Stage): Operation[] {
  const authorization = `Bearer ${platformToken}`
  const list = ({ userId }: Person) => ({
    method: 'GET',
    path: `/v1/users/${userId}/insurance_policies`,
    headers: { authorization },
  })
  const token = ({ input }: Person) => ({
    method: 'POST',
    path: '/v1/auth/token',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  return [
    repeatable('list policies', () => people.map(list), { stage, comparable: (response) => response }),
    repeatable('issue token', () => people.map(token), {
      stage,
      comparable: (response) => withoutRandomParts(response),
    }),
  ]
}

type CompareOptions = { stage: Stage; comparable: (response: string) => unknown }

/**
 * Returns an operation whose requests can be repeated because they change nothing. They are created when the first
 * round begins, so that their tokens last.
 */
export function repeatable(
  name: string,
  makeRequests: () => Request[],
  { stage, comparable }: CompareOptions,
): Operation {
  let source: Source | undefined
  const check = async () => {
    const requests = makeRequests()
    const step = Math.floor(requests.length / SAMPLES)
    for (let index = 0; index < requests.length; index += step) {
      const request = requests[index] as Request
      const [product, floor] = await Promise.all([ask(stage.productUrl, request), ask(stage.floorUrl, request)])
      assert.equal(product.status, 200, `${name}: the product returned ${product.status}: ${product.text}`)
      assert.equal(product.type, floor.type, `${name}: one content type`)
      assert.deepEqual(comparable(product.text), comparable(floor.text), `${name}: one response`)
    }
  }
  const load = (url: string, seconds: number) => drive(url, (source ??= repeating(makeRequests())), { seconds })
  return { name, check, load }
}

/** Returns the decoded token without its random parts, and the lengths of response and token. */
export function withoutRandomParts(response: string, randomClaims = ['jti', 'iat', 'exp']): unknown {
  const { access_token: token, ...rest } = JSON.parse(response) as { access_token: string }
  const [header, claims = {}] = token
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)
  const lasting = Object.entries(claims).filter(([claim]) => !randomClaims.includes(claim))
  const random = [typeof claims['jti'], Number(claims['exp']) - Number(claims['iat'])]
  return { rest, header, random, lasting, lengths: [response.length, token.length] }
}
