import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { consentScenes, OF_PARENT } from '../../support/consents.ts'
import { csv, importScenes } from '../../support/imports.ts'

const t = await openTestApp({ own: true })
const { imported, report } = importScenes(t)
const { notice, give, needConsent } = consentScenes(t)

describe('an import of a platform with consent rules', () => {
  it('rejects a row with a child of a user without consent, and writes it with one', async () => {
    const platform = await t.platform()
    const profile = { first_name: 'Asha', last_name: 'Example', dob: '1990-05-17' }
    const [without, asked] = [await t.user(platform, profile), await t.user(platform, profile)]
    await notice(platform)
    await needConsent(platform)
    assert.equal((await give(asked, platform.token, OF_PARENT)).status, 201)
    const file = csv(
      'phone_country_code,phone_number,dependant_first_name,dependant_last_name,dependant_date_of_birth',
      ...[without, asked].map(({ phone }) => `+91,${phone},Ravi,Example,2015-08-02`),
    )
    const done = await imported(file, { token: platform.token, kind: 'users' })
    const rows = await report(platform.token, done.id)
    assert.deepEqual(
      rows.map(({ row, outcome, code }) => [row, outcome, code]),
      [
        [2, 'REJECTED', 'consent_missing'],
        [3, 'DONE', null],
      ],
    )
    assert.deepEqual(await t.sql('select user_id from dependants'), [{ user_id: asked.id }])
  })
})
