import assert from 'node:assert/strict'
import type { Person, Tenant } from './fill.ts'
import type { Stage } from './stage.ts'

const SAMPLES = 50

export type Request = { method: string; path: string; headers: Record<string, string>; body?: string }

/** An operation and the request it is measured with for each of the users. */
export type Operation = { name: string; requests: Request[]; comparable: (answer: string) => unknown }

export function operationsOn({ platformToken, people }: Tenant): Operation[] {
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
    { name: 'list policies', requests: people.map(list), comparable: (answer) => answer },
    { name: 'issue token', requests: people.map(token), comparable: withoutChance },
  ]
}

/** The token opened, without what differs between any two tokens, and the lengths of answer and token. */
function withoutChance(answer: string): unknown {
  const { access_token: token, ...rest } = JSON.parse(answer) as { access_token: string }
  const [header, claims] = token
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)
  const { jti, iat, exp, ...lasting } = claims ?? {}
  const chance = [typeof jti, Number(exp) - Number(iat)]
  return { rest, header, chance, lasting, lengths: [answer.length, token.length] }
}

/** What product and floor answer must agree, or they do not do the same work. */
export async function checkSameAnswers(operations: Operation[], { productUrl, floorUrl }: Stage): Promise<void> {
  for (const { name, requests, comparable } of operations) {
    const step = Math.floor(requests.length / SAMPLES)
    for (let index = 0; index < requests.length; index += step) {
      const request = requests[index] as Request
      const [product, floor] = await Promise.all([ask(productUrl, request), ask(floorUrl, request)])
      assert.equal(product.status, 200, `${name}: the product answered ${product.status}: ${product.text}`)
      assert.equal(product.type, floor.type, `${name}: one content type`)
      assert.deepEqual(comparable(product.text), comparable(floor.text), `${name}: one answer`)
    }
  }
}

async function ask(url: string, { path, ...request }: Request) {
  const response = await fetch(url + path, request)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}
