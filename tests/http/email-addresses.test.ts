import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()
const platform = await t.platform()
const phone = { phone_country_code: '+91', phone_number: '9876543210' }

const ask = (email: string) => t.call('POST', '/v1/auth/token', { token: platform.token, body: { ...phone, email } })

describe('an email address', () => {
  for (const email of [
    'Asha.Example+tag@Example.com',
    'मीरा@example.com',
    'x@उदाहरण.भारत',
    'मीरा.k@उदाहरण.भारत',
    'क्\u200dष@क्\u200dष.भारत',
    'jürgen@exämple.de',
    'ju\u0308rgen@exa\u0308mple.de',
    '用户@例子.广告',
    '😀@example.com',
  ]) {
    it(`200 keeps ${email} byte for byte`, async () => {
      const { status, text, body } = await ask(email)
      assert.equal(status, 200, text)
      assert.equal((await t.made('GET', `/v1/users/${body.user_id}`, { token: platform.token })).email, email)
    })
  }

  for (const email of [
    'asha',
    'asha.example',
    'मीरा.example',
    'उदाहरण.भारत',
    '@उदाहरण.भारत',
    'मीरा@',
    'मीरा@उदाहरण',
    'मीरा..k@उदाहरण.भारत',
    'मीरा@@उदाहरण.भारत',
    'मीरा@उदाहरण.भारत@example.com',
    'मी रा@उदाहरण.भारत',
    'मी\u00a0रा@example.com',
    'मी\u200bरा@example.com',
    'मीरा@उदा हरण.भारत',
    'मीरा@उदाहरण..भारत',
    'मीरा@उदाहरण%2eभारत.com',
    'मीरा@xn--a.भारत',
    `मीरा@${'उ'.repeat(300)}.भारत`,
  ]) {
    it(`422 for ${email.slice(0, 40)}`, async () => {
      const { status, body } = await ask(email)
      assert.equal(status, 422)
      assert.deepEqual(new Set(body.errors.map(({ pointer }: { pointer: string }) => pointer)), new Set(['/email']))
    })
  }
})
