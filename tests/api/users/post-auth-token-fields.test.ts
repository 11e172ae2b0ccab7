import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADDRESS, ONBOARDING, openTestApp, type TestPlatform } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'
import { everythingStored } from '../../support/stored.ts'

const t = await openTestApp()

const PHONE = { phone_country_code: '+91', phone_number: '9876543210' }

const ask = (platform: TestPlatform, body: object, headers = {}) =>
  t.call('POST', '/v1/auth/token', { token: platform.token, body, headers })

async function sent(body: object, platform?: TestPlatform) {
  const by = platform ?? (await t.platform())
  const response = await ask(by, body)
  assert.equal(response.status, 200, response.text)
  return t.made('GET', `/v1/users/${response.body.user_id}`, { token: by.token })
}

const SCRIPTS = 'आशा उदाहरण 👩🏽‍⚕️ e\u0301 é  two  blanks '

describe('POST /v1/auth/token: fields', () => {
  it('200 fields update the user until onboarding is complete and are ignored afterwards', async () => {
    const platform = await t.platform()
    const first = await sent({ ...PHONE, first_name: 'Asha', email: 'asha@example.com' }, platform)
    const second = await sent({ ...PHONE, first_name: 'Asha Maria', dob: '1990-05-17' }, platform)
    assert.deepEqual(
      { ...second, last_modified_at: '' },
      { ...first, first_name: 'Asha Maria', dob: '1990-05-17', last_modified_at: '' },
    )

    const done = { token: platform.token, body: ONBOARDING }
    const { user } = await t.made('POST', `/v1/users/${first.user_id}/complete_onboarding`, done)
    const [before] = await t.sql('select revision, sealed from users where user_id = $1', [first.user_id])
    assert.deepEqual(await sent({ ...PHONE, first_name: 'Other', address: 'Elsewhere' }, platform), user)
    const [after] = await t.sql('select revision, sealed from users where user_id = $1', [first.user_id])
    assert.deepEqual(after, before)
  })

  it('200 every field is kept as sent, byte for byte, in any script', async () => {
    const user = await sent({
      ...PHONE,
      first_name: SCRIPTS,
      last_name: '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 தமிழ் اردو',
      dob: '1900-01-01',
      email: 'Asha.Example+tag@Example.com',
      gender: 'OTHER',
    })
    assert.equal(user.first_name, SCRIPTS)
    assert.equal(user.last_name, '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 தமிழ் اردو')
    assert.equal(user.dob, '1900-01-01')
    assert.equal(user.email, 'Asha.Example+tag@Example.com')
    assert.ok(!('gender' in user))
  })

  for (const [input, address] of Object.entries({
    'a structured address': { ...ADDRESS, line1: SCRIPTS, line2: '' },
    'a structured address of empty strings': { line1: '', city: '', state: '', country: '', pincode: '' },
    'free text': `${SCRIPTS}\nपुणे ४११००१`,
    'empty free text': '',
    'both, the original in raw': { ...ADDRESS, raw: `${SCRIPTS}, बेंगलुरु` },
    'a field of 500 characters': { ...ADDRESS, line1: '👩'.repeat(500) },
  })) {
    it(`200 keeps ${input} byte for byte`, async () => {
      const user = await sent({ ...PHONE, address })
      assert.deepEqual(user.address, address)
    })
  }

  it('200 an address replaces the previous one, and its unknown members are dropped', async () => {
    const platform = await t.platform()
    await sent({ ...PHONE, address: { ...ADDRESS, raw: 'as written' } }, platform)
    assert.deepEqual((await sent({ ...PHONE, address: { ...ADDRESS, floor: '3' } }, platform)).address, ADDRESS)
    assert.equal((await sent({ ...PHONE, address: 'free' }, platform)).address, 'free')
  })

  it('200 a user without an address has no address member; other empty fields are null', async () => {
    const { user_id, created_at, last_modified_at, ...rest } = await sent(PHONE)
    assert.match(user_id, /^[01][0-9]{11}$/)
    for (const time of [created_at, last_modified_at]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.deepEqual(rest, { ...PHONE, dob: null, email: null, first_name: null, last_name: null })
  })

  it('200 trims dial code and phone number, but not names', async () => {
    const platform = await t.platform()
    const spaced = { phone_country_code: ' +91\t', phone_number: '\n 9876543210 ', first_name: ' Asha ' }
    const user = await sent(spaced, platform)
    assert.equal((await sent(PHONE, platform)).user_id, user.user_id)
    assert.deepEqual([user.phone_country_code, user.phone_number], ['+91', '9876543210'])
    assert.equal(user.first_name, ' Asha ')
  })

  it('200 for 15 digits together, 422 for 16 (E.164)', async () => {
    const platform = await t.platform()
    const fits = [
      ['+1', '23456789012345'],
      ['+91', '1234567890123'],
      ['+1234', '12345678901'],
      [' +1 ', ' 23456789012345 '],
      ['+91', '1234'],
    ]
    for (const [phone_country_code, phone_number] of fits) await sent({ phone_country_code, phone_number }, platform)
    const before = (await t.sql('select 1 from users')).length
    for (const [phone_country_code, phone_number] of [
      ['+91', '12345678901234'],
      ['+1234', '123456789012'],
    ]) {
      const body = { phone_country_code, phone_number }
      assert.deepEqual(errorsOf(await ask(platform, body)), ['/phone_number too_long'])
      const more = { ...body, email: 'nobody', first_name: '' }
      const errors = ['/email format', '/first_name too_short', '/phone_number too_long']
      assert.deepEqual(errorsOf(await ask(platform, more)), errors)
    }
    assert.equal((await t.sql('select 1 from users')).length, before)
  })

  it('the id proof is never returned or stored in clear text; its last four characters are', async () => {
    const platform = await t.platform()
    const number = 'KLMN-998877665544'
    const response = await ask(platform, { ...PHONE, id_proof: { number } })
    const user = await t.call('GET', `/v1/users/${response.body.user_id}`, { token: platform.token })
    for (const text of [response.text, user.text])
      assert.ok(!text.includes('998877665544') && !text.includes('id_proof'))

    const stored = await everythingStored(t)
    assert.ok(stored.includes(response.body.user_id), 'the right tables were looked at')
    for (const input of [number, '998877665544', Buffer.from(number).toString('hex')])
      assert.ok(!stored.includes(input))
    const [row] = await t.sql('select id_proof_last4 from users where user_id = $1', [response.body.user_id])
    assert.deepEqual(row, { id_proof_last4: '5544' })
  })

  it('an id proof of four characters or fewer is not stored in clear text at all; it still finds the user', async () => {
    for (const [index, number] of ['7', '7788', '😀7788'].entries()) {
      const platform = await t.platform()
      const body = { ...PHONE, id_proof: { number } }
      const { user_id } = await sent(body, platform)
      const [row] = await t.sql('select id_proof_last4 from users where user_id = $1', [user_id])
      assert.deepEqual(row, { id_proof_last4: index < 2 ? null : '7788' })
      assert.equal((await sent({ ...body, phone_number: '9876543211' }, platform)).user_id, user_id)
    }
  })

  it('personal data is sealed: the database holds none of it in clear text', async () => {
    const personal = {
      phone_country_code: '+91',
      phone_number: '9345678901',
      first_name: 'Sealedfirst',
      last_name: 'Sealedlast',
      email: 'sealed@example.com',
      dob: '1971-11-23',
      address: { ...ADDRESS, line1: 'Sealed Street 9', raw: 'Sealed raw text' },
    }
    await sent(personal)
    const stored = await everythingStored(t)
    for (const clear of [
      '9345678901',
      'Sealedfirst',
      'Sealedlast',
      'sealed@',
      '1971-11-23',
      'Sealed Street',
      'Sealed raw',
    ])
      assert.ok(!stored.includes(clear), `${clear} is in the database`)
  })
})

describe('POST /v1/auth/token: errors', () => {
  it('422 reports every error at once and creates no user', async () => {
    const platform = await t.platform()
    const body = {
      id_proof: { number: '' },
      phone_country_code: '91',
      dob: '2026-02-30',
      email: 'asha at example.com',
      first_name: '',
      last_name: 'x'.repeat(201),
      gender: 'female',
      address: { line1: 'only' },
    }
    assert.deepEqual(errorsOf(await ask(platform, body)), [
      '/address/city required',
      '/address/country required',
      '/address/pincode required',
      '/address/state required',
      '/dob format',
      '/email format',
      '/first_name too_short',
      '/gender not_allowed',
      '/id_proof/number too_short',
      '/last_name too_long',
      '/phone_country_code format',
      '/phone_number required',
    ])
    assert.equal((await t.sql('select 1 from users where platform_id = $1', [platform.id])).length, 0)
  })

  it('422 for a 0 in front of a number under dial codes without one, wherever a phone is sent', async () => {
    const platform = await t.platform()
    const phone = (phone_country_code: string, phone_number = '09869868986') => ({ phone_country_code, phone_number })
    for (const code of ['+39', '+225', '+229', '+378'])
      assert.equal((await ask(platform, phone(code))).status, 200, code)
    const before = (await t.sql('select 1 from users')).length
    for (const code of ['+91', ' +91 ', '+1', '+44', '+977', '+971']) {
      const response = await ask(platform, phone(code))
      assert.deepEqual(errorsOf(response), ['/phone_number format'], code)
      assert.match(response.body.errors[0].detail, /without the 0 in front/)
    }
    assert.deepEqual(errorsOf(await ask(platform, phone('+91', ' 0098765432 '))), ['/phone_number format'])
    const { id } = await t.user(platform)
    const elsewhere = [
      await t.call('PATCH', `/v1/users/${id}`, { token: platform.token, body: phone('+91') }),
      await t.call('POST', '/v1/users/search', { token: platform.token, body: phone('+91') }),
      await t.call('POST', '/wallet/v1/auth/otp', { body: { platform_id: platform.id, ...phone('+91') } }),
    ]
    for (const response of elsewhere) assert.deepEqual(errorsOf(response), ['/phone_number format'])
    assert.equal((await t.sql('select 1 from users')).length, before + 1)
  })

  it('200 for dial codes of the ITU’s list, 422 for unassigned ones, wherever a phone is sent', async () => {
    const platform = await t.platform()
    const phone = (phone_country_code: string) => ({ phone_country_code, phone_number: '98765432' })
    const countries = ['+1', '+7', '+20', '+44', '+91', '+211', '+290', '+379', '+383', '+998', '+1242', ' +1212 ']
    const networks = ['+800', '+808', '+870', '+878', '+881', '+882', '+883', '+979']
    for (const code of [...countries, ...networks]) {
      assert.equal((await ask(platform, phone(code))).status, 200, code)
    }
    const before = (await t.sql('select 1 from users')).length
    const nobodys = [
      '+2',
      '+9',
      '+21',
      '+99',
      '+210',
      '+259',
      '+384',
      '+888',
      '+999',
      '+9112',
      '+4412',
      '+1042',
      '+1142',
      '+12',
    ]
    for (const code of nobodys) {
      const response = await ask(platform, phone(code))
      assert.deepEqual(errorsOf(response), ['/phone_country_code format'], code)
      assert.match(response.body.errors[0].detail, /ITU/)
    }
    const wrong = { ...phone('+999'), phone_number: '12345678901234' }
    assert.deepEqual(errorsOf(await ask(platform, wrong)), ['/phone_country_code format', '/phone_number too_long'])
    const { id } = await t.user(platform)
    const elsewhere = [
      await t.call('PATCH', `/v1/users/${id}`, { token: platform.token, body: phone('+999') }),
      await t.call('POST', '/v1/users/search', { token: platform.token, body: phone('+999') }),
      await t.call('POST', '/wallet/v1/auth/otp', { body: { platform_id: platform.id, ...phone('+999') } }),
    ]
    for (const response of elsewhere) assert.deepEqual(errorsOf(response), ['/phone_country_code format'])
    assert.equal((await t.sql('select 1 from users')).length, before + 1)
  })

  it('422 for each malformed field', async () => {
    const platform = await t.platform()
    const errors: [object, string[]][] = [
      [{ phone_country_code: '+0' }, ['/phone_country_code format']],
      [{ phone_country_code: '+12345' }, ['/phone_country_code format']],
      [{ phone_country_code: 91 }, ['/phone_country_code type']],
      [{ phone_number: '123' }, ['/phone_number format']],
      [{ phone_number: '98765 43210' }, ['/phone_number format']],
      [{ phone_number: 9876543210 }, ['/phone_number type']],
      [{ phone_number: '९८७६५४३२१०' }, ['/phone_number format']],
      [{ id_proof: {} }, ['/id_proof/number required']],
      [{ id_proof: 'AB1234567' }, ['/id_proof type']],
      [{ dob: '1899-12-31' }, ['/dob format']],
      [{ dob: '2999-01-01' }, ['/dob format']],
      [{ dob: '17-05-1990' }, ['/dob format']],
      [{ dob: '1990-05-17T00:00:00' }, ['/dob format']],
      [{ first_name: 7 }, ['/first_name type']],
      [{ first_name: 'A\u0000' }, ['/first_name unstorable_text']],
      [{ first_name: 'A\nB' }, ['/first_name format']],
      [{ last_name: '\ud83d' }, ['/last_name unstorable_text']],
      [{ address: null }, ['/address type']],
      [{ address: ['Pune'] }, ['/address type']],
      [{ address: 'x'.repeat(501) }, ['/address too_long']],
      [{ address: { ...ADDRESS, pincode: 560001 } }, ['/address/pincode type']],
      [
        { address: { ...ADDRESS, raw: 'x'.repeat(501), line2: null } },
        ['/address/line2 type', '/address/raw too_long'],
      ],
    ]
    for (const [input, expected] of errors) {
      assert.deepEqual(
        errorsOf(await ask(platform, { ...PHONE, ...input })),
        expected,
        JSON.stringify(input).slice(0, 60),
      )
    }
    assert.equal((await t.sql('select 1 from users where platform_id = $1', [platform.id])).length, 0)
  })

  it('422 names unknown members with strict handling; they are ignored otherwise', async () => {
    const platform = await t.platform()
    const body = { ...PHONE, nickname: 'A', id_proof: { number: 'AB1234567', kind: 'PASSPORT' } }
    const strict = await ask(platform, body, { prefer: 'handling=strict' })
    assert.deepEqual(errorsOf(strict), ['/id_proof/kind unknown', '/nickname unknown'])
    assert.equal((await ask(platform, body)).status, 200)
  })

  it('422 never repeats input', async () => {
    const platform = await t.platform()
    const refused = await ask(platform, { ...PHONE, email: 'secret-mail', dob: '2026-02-31', gender: 'SECRETGENDER' })
    for (const value of ['secret-mail', '2026-02-31', 'SECRETGENDER', PHONE.phone_number])
      assert.ok(!refused.text.includes(value))
  })
})
