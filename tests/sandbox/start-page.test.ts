import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startSandbox } from '../../sandbox/server.ts'
import { movableClock } from '../../src/kernel/clock.ts'
import { freePorts } from '../support/server.ts'

const [port = 0] = await freePorts(1)
const origin = `http://127.0.0.1:${port}`
const calendar = movableClock()
after(await startSandbox({ host: '127.0.0.1', port, operatorSecret: 'not shown anywhere', calendar }))

type Company = { name: string; setting: string; url: string; mode?: string; now?: string }
const companies = async () => ((await (await fetch(origin)).json()) as { companies: Company[] }).companies

describe('GET / of the sandbox', () => {
  it('200 lists the companies with the settings and base URLs that lead to them, and the calendar', async () => {
    const shown = Object.fromEntries((await companies()).map(({ setting, url }) => [setting, url]))
    assert.equal(shown['OPERATOR_URL'], `${origin}/operator`)
    assert.equal(shown['ACCOUNT_PROVIDER_URL'], `${origin}/account_provider`)
    assert((await companies()).some(({ now }) => now !== undefined))
  })

  it('200 shows the mode that is set', async () => {
    const body = JSON.stringify({ mode: 'flaky' })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${origin}/operator/behaviour`, { method: 'PUT', headers, body })
    assert.equal((await companies()).find(({ setting }) => setting === 'OPERATOR_URL')?.mode, 'flaky')
  })

  it('200 for a browser: a page that loads and runs nothing, without secrets', async () => {
    const response = await fetch(origin, { headers: { accept: 'text/html' } })
    const text = await response.text()
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    for (const words of ['Wallet operator', `${origin}/operator`, 'OPERATOR_URL', 'Calendar of policies'])
      assert(text.includes(words), words)
    assert.doesNotMatch(text, /<script|<link|<img|not shown anywhere/)
  })
})
