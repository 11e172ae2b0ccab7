import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unseenCorrections } from '../../dashboard/src/api/unseen-corrections.ts'
import { dependantId, userId } from '../../client/src/index.ts'

type Timeline = Parameters<typeof unseenCorrections>[0]
type Entry = Timeline[number]

const NOTHING = {
  at: new Date(0),
  actor_kind: null,
  from: null,
  dependant_id: null,
  previous_version_id: null,
  fields: null,
}
const [A, B, C, N] = ['dep_a', 'dep_b', 'dep_c', 'dep_n'].map(dependantId)

const PEOPLE: Parameters<typeof unseenCorrections>[1] = {
  primary_member: { id: userId('012345678901'), first_name: 'Asha', last_name: 'Example' },
  dependants: [{ id: dependantId('dep_c'), first_name: 'Ravi', last_name: 'Example' }],
  nominee_details: { nominee_type: 'DEPENDANT', dependant_id: dependantId('dep_n') },
}

const member = (...fields: NonNullable<Entry['fields']>): Entry => ({ ...NOTHING, kind: 'MEMBER_CORRECTED', fields })
const dependant = (id = A, previous = B, fields: Entry['fields'] = ['first_name']): Entry =>
  ({ ...NOTHING, kind: 'DEPENDANT_CORRECTED', dependant_id: id, previous_version_id: previous, fields }) as Entry
const changed = (actor_kind: Entry['actor_kind'], from: Entry['from'] = 'VERIFICATION', at = new Date(1)): Entry => ({
  ...NOTHING,
  at,
  kind: 'STATUS_CHANGED',
  actor_kind,
  from,
})

describe('what the dashboard shows before persons who were corrected are approved or issued', () => {
  it('is each person once, with everything corrected since the last transition by people, and nothing before', () => {
    const timeline = [
      dependant(C, B, ['date_of_birth']),
      changed('system', 'ISSUED'), // the calendar looks at nobody
      changed('user', 'ISSUED'), // nor does who corrects
      member('title', 'gender'),
      dependant(B, A, ['first_name', 'date_of_birth']),
      changed('provider'),
      member('last_name'),
    ]
    assert.deepEqual(unseenCorrections(timeline, PEOPLE), [
      { person: 'Ravi Example (dependant)', fields: 'date of birth, given name' },
      { person: 'Asha Example (member)', fields: 'title, gender' },
    ])
  })

  it('is nothing when people made the last transition', () => {
    for (const actor of ['provider', 'operator', 'owner'] as const)
      assert.deepEqual(unseenCorrections([changed(actor), member('title')], PEOPLE), [])
  })

  it('is what an operator corrected in a policy in force: the reissue that follows from it is no look', () => {
    const timeline = [changed('operator', 'ISSUED', new Date(0)), member('last_name'), changed('provider')]
    assert.deepEqual(unseenCorrections(timeline, PEOPLE), [{ person: 'Asha Example (member)', fields: 'family name' }])
    assert.deepEqual(unseenCorrections([changed('operator', 'ISSUED'), member('last_name')], PEOPLE), [])
  })

  it('goes back beyond an owner who took it up again: nobody looked while it was over', () => {
    const timeline = [
      changed('owner', 'EXPIRED'),
      member('last_name'),
      changed('system', 'ISSUED'),
      changed('provider'),
    ]
    assert.deepEqual(unseenCorrections(timeline, PEOPLE), [{ person: 'Asha Example (member)', fields: 'family name' }])
  })

  it('names a nominee, somebody who is not on it any more, and corrections of before by what is known', () => {
    assert.deepEqual(unseenCorrections([dependant(N, B), dependant(A, undefined, null)], PEOPLE), [
      { person: 'The nominee', fields: 'given name' },
      { person: 'A dependant', fields: 'details' },
    ])
  })
})
