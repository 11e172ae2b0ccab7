import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Address, BenefitProvider, Sponsor } from '../../client/src/index.ts'
import { PLAN_FIELDS, pointerOf } from '../../dashboard/src/parts/plan-fields.ts'
import {
  NEW_PROVIDER_FIELDS,
  platformField,
  PROVIDER_FIELDS,
  providerFrom,
  providerPatch,
  providerTexts,
  SPONSOR_FIELDS,
  sponsorFrom,
  sponsorPatch,
  sponsorTexts,
} from '../../dashboard/src/parts/record-fields.ts'

type Schema = { $ref?: string; properties?: Record<string, Schema>; anyOf?: Schema[]; oneOf?: Schema[] }
const { schemas } = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')).components as {
  schemas: Record<string, Schema>
}

/** Returns the pointers of everything that a request can hold; an amount of money is one. */
function pointersOf(schema: Schema, at = ''): string[] {
  const { $ref, properties, anyOf, oneOf } = schema
  const name = $ref?.split('/').at(-1)
  if (name === 'Money' || name === 'MoneyInput') return [at]
  if (name !== undefined) return pointersOf(schemas[name] ?? assert.fail(name), at)
  const kinds = anyOf ?? oneOf
  const inner = kinds
    ? kinds.filter((kind) => kind.$ref ?? kind.properties).flatMap((kind) => pointersOf(kind, at))
    : []
  if (inner.length > 0) return [...new Set(inner)].toSorted()
  if (!properties) return [at]
  return Object.entries(properties)
    .flatMap(([member, of]) => pointersOf(of, `${at}/${member}`))
    .toSorted()
}
const pointersIn = (request: string) => pointersOf({ $ref: `#/components/schemas/${request}` })

const ADDRESS: Address = {
  line1: '12 MG Road',
  line2: '2nd floor',
  city: 'Bengaluru',
  state: 'Karnataka',
  country: 'India',
  pincode: '560001',
}
const TIMES = { created_at: new Date(), last_modified_at: new Date() }
const SPONSOR = {
  id: 'spn_1',
  slug: 'banyan',
  status: 'ACTIVE',
  name: 'Banyan Textiles',
  pan: 'AAACB1234C',
  address: ADDRESS,
  sponsor_details: {
    sponsor_kind: 'ORGANISATION',
    first_name: 'Asha',
    last_name: 'Example',
    email: 'hr@example.com',
    phone: '080 1234',
  },
  ...TIMES,
} as unknown as Sponsor
const PROVIDER = {
  id: 'bpr_1',
  code: 'NORTH',
  name: 'North',
  colour: '#17503d',
  address: ADDRESS,
  ...TIMES,
} as unknown as BenefitProvider

describe('the fields of a record in the dashboard', () => {
  it('are those that its request can hold: each can be seen and set', () => {
    const pointers = (fields: readonly { pointer: string }[]) => fields.map(({ pointer }) => pointer).toSorted()
    assert.deepEqual(pointers([...SPONSOR_FIELDS, platformField([])]), pointersIn('CreateSponsorRequest'))
    assert.deepEqual(pointers(SPONSOR_FIELDS), pointersIn('UpdateSponsorRequest'))
    assert.deepEqual(pointers(NEW_PROVIDER_FIELDS), pointersIn('CreateBenefitProviderRequest'))
    assert.deepEqual(pointers(PROVIDER_FIELDS), pointersIn('UpdateBenefitProviderRequest'))
    assert.deepEqual(
      PLAN_FIELDS.map(({ name }) => pointerOf(0, name).replace('/plans/0', '')).toSorted(),
      pointersIn('PlanInput'),
    )
  })

  it('survive an edit of another one', () => {
    const sponsor = sponsorTexts(SPONSOR)
    const provider = providerTexts(PROVIDER)
    assert.deepEqual([sponsorPatch(sponsor, sponsor), providerPatch(provider, provider)], [{}, {}])
    assert.deepEqual(sponsorPatch(sponsor, { ...sponsor, '/address/city': 'Mysuru' }), {
      address: { ...ADDRESS, city: 'Mysuru' },
    })
    assert.deepEqual(sponsorPatch(sponsor, { ...sponsor, '/sponsor_details/email': '' }), {
      sponsor_details: {
        sponsor_kind: 'ORGANISATION',
        first_name: 'Asha',
        last_name: 'Example',
        phone: '080 1234',
      },
    })
    assert.deepEqual(providerPatch(provider, { ...provider, '/colour': '' }), { colour: null })
    const without = Object.fromEntries(Object.keys(provider).map((pointer) => [pointer, '']))
    assert.deepEqual(providerPatch(provider, { ...without, '/name': 'North', '/colour': '#17503d' }), { address: null })
  })

  it('make a whole record of a new one', () => {
    const { id: _id, slug: _slug, status: _status, created_at: _at, last_modified_at: _last, ...sponsor } = SPONSOR
    const platform = { platform_id: 'plt_1' }
    assert.deepEqual(sponsorFrom({ ...sponsorTexts(SPONSOR), '/platform_id': 'plt_1' }), { ...sponsor, ...platform })
    assert.deepEqual(providerFrom({ ...providerTexts(PROVIDER), '/code': 'NORTH' }), {
      name: 'North',
      code: 'NORTH',
      address: ADDRESS,
      colour: '#17503d',
    })
  })
})
