import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import type { Body } from '../../support/app.ts'
import { clientOf, newWorkspace, runCommand, runScript, startServer } from '../../support/server.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

const README = read('README.md')
const README_LINES_MAX = 150
const workspace = await newWorkspace()
const server = await startServer(workspace)
after(async () => {
  await server.stop()
  await workspace.remove()
})
const send = clientOf(workspace.origin)

describe('README', () => {
  it('is short: the rest is in the handbook', () => assert(README.split('\n').length <= README_LINES_MAX))

  it('all scripts and files that it mentions exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const documents = ['README.md', 'ARCHITECTURE.md', 'STYLE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
    for (const document of documents) {
      const text = read(document)
      for (const [, name] of text.matchAll(/npm run (?:-s )?([a-z0-9:]+)/g))
        assert(scripts[name as string], `${document}: ${name}`)
      for (const [, path] of text.matchAll(/\]\((?!http|#)([^)#]+)/g))
        assert(existsSync(new URL(`../../../${path}`, import.meta.url)), `${document}: ${path}`)
      for (const [, path] of text.matchAll(/`((?:src|sandbox|tests|tools|migrations|bench|docs)\/[a-z0-9/_.-]+)`/g))
        assert(existsSync(new URL(`../../../${path}`, import.meta.url)), `${document}: ${path}`)
    }
  })
})

describe('the decision on dependencies', () => {
  it('names every direct dependency, and no other', () => {
    type Packages = Record<string, string>
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json')) as {
      dependencies: Packages
      optionalDependencies: Packages
      devDependencies: Packages
    }
    const direct = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
    const [lists] = read('docs/decisions/0002-dependencies.md').split('\nDone without')
    const named = [...(lists as string).matchAll(/`(@?[a-z][\w./-]*)`(?=[:,])/g)].map((match) => match[1] as string)
    assert.deepEqual(named.toSorted(), direct.toSorted())
  })
})

describe('banyan demo', () => {
  it('fills the demo platform with a family and prints working curl commands', async () => {
    const { code, stdout, stderr } = await runCommand(['demo'], workspace.environment)
    assert.deepEqual([code, stderr], [0, ''], stdout)
    const value = (name: string) => new RegExp(`^${name}[ =]+(.+)$`, 'm').exec(stdout)?.[1]?.split(' ') as string[]
    const [userId] = value('user_id')
    const [token] = value('USER_TOKEN')
    assert(userId && token)

    const get = async (path: string) => (await send('GET', `/v1/users/${userId}${path}`, { token })).body
    assert.equal((await get('')).last_name, 'उदाहरण')
    assert.equal((await get('/dependants')).total, value('dependant_ids').length)
    assert.equal((await get('/insurance_policies?status=ISSUED')).total, 1)
    assert.equal((await get('/insurance_policies?status=PENDING')).total, 1)
    const accounts = await get('/accounts?status=ACTIVE')
    assert.deepEqual(accounts.data.map((account: Body) => account.account_details.account_type).toSorted(), [
      'HSA',
      'SAVINGS',
    ])

    const lines = stdout.split('\n').filter((line) => /^(PLATFORM_TOKEN=|USER_TOKEN=|curl )/.test(line))
    const tried = await runScript(['set -e', ...lines].join('\n'), workspace.environment)
    assert.match(tried.stdout, /"plan_code":"FAMILY_5L".*"provider":"DEMO_INSURER"/s)
    assert(!tried.stdout.includes('"errors"') && !tried.stdout.includes('"code"'), tried.stdout)
  })

  it('with --json prints only a document, in which every secret works', async () => {
    const { code, stdout, stderr } = await runCommand(['demo', '--json'], workspace.environment)
    assert.equal(code, 0, stderr)
    const demo: Body = JSON.parse(stdout)
    assert.match(stderr, /wallet with a credit/)
    const person = `/v1/users/${demo.user.user_id}`
    const readAs = async (token: string, path: string) => {
      const { status, body, text } = await send('GET', path, { token })
      assert.equal(status, 200, text)
      return body
    }
    for (const { id, basic_token, access_token } of [demo.platform, demo.benefit_provider]) {
      const exchanged = await send('POST', '/v1/oauth/token', {
        headers: { authorization: `Basic ${basic_token}` },
        body: { grant_type: 'client_credentials' },
      })
      assert.equal(exchanged.status, 200, exchanged.text)
      for (const token of [access_token, exchanged.body.access_token])
        assert.equal((await readAs(token, `${person}/consultations/${demo.consultation_id}`)).id, demo.consultation_id)
      assert(id)
    }
    assert.equal((await readAs(demo.owner_token, `/v1/platforms/${demo.platform.id}`)).id, demo.platform.id)
    const { issued, pending } = demo.insurance_policy_ids
    for (const policy of [issued, pending])
      await readAs(demo.user.access_token, `${person}/insurance_policies/${policy}`)
    for (const account of demo.account_ids) await readAs(demo.user.access_token, `${person}/accounts/${account}`)
    for (const dependant of demo.dependant_ids) assert(dependant)
    assert.equal((await readAs(demo.platform.access_token, `/v1/sponsors/${demo.sponsor_id}`)).id, demo.sponsor_id)
    assert.equal((await readAs(demo.wallet.access_token, '/wallet/v1/wallet')).balance, demo.wallet.balance)
    const refreshed = await send('POST', '/wallet/v1/auth/token/refresh', {
      body: { refresh_token: demo.wallet.refresh_token },
    })
    assert.equal(refreshed.status, 200, refreshed.text)
    for (const url of Object.values(demo.urls) as string[]) assert(URL.canParse(url), url)
    assert.deepEqual(Object.keys(demo.valid_for), ['basic_token', 'access_token', 'refresh_token', 'owner_token'])
  })

  it('exit 1 with one sentence when no server runs, or one that does not know the keys', async () => {
    const other = await newWorkspace()
    try {
      const noServer = await runCommand(['demo'], other.environment)
      assert.deepEqual([noServer.code, noServer.stderr.split('\n').length], [1, 2])
      assert.match(noServer.stderr, /^No server at http:\/\/localhost:\d+\/v1. Start one/)
      const { PORT } = workspace.environment
      const otherKeys = await runCommand(['demo'], { ...other.environment, PORT: PORT as string })
      assert.deepEqual([otherKeys.code, otherKeys.stderr.split('\n').length], [1, 2])
      assert.match(otherKeys.stderr, /rejects this token/)
    } finally {
      await other.remove()
    }
  })
})
