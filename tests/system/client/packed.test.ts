import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { installPackedClient, run } from '../../support/packed-client.ts'

const { folder, files, tool } = await installPackedClient()

const ONE_OPERATION_BYTES_MAX = 7_500
const ALL_BYTES_MAX = 15_000

/** What a partner would write wrong, line by line; each must be an error of the compiler. */
const MISTAKES = `
import { Banyan, Money, policyId, userId, type InsurancePolicyStatus, notModified } from '@banyan/client'
const banyan = new Banyan({ basicToken: 'x' })
const user = banyan.user(userId('012345678901'))
// @ts-expect-error a policy is no user
banyan.user(policyId('pol_1'))
// @ts-expect-error an id is not any text
banyan.user('012345678901')
// @ts-expect-error rupees or paise?
user.wallet.credit(500, { reference: 'r' })
// @ts-expect-error a float is no amount of rupees
Money.rupees(500.5)
// @ts-expect-error the reference is required
user.wallet.credit(Money.rupees('5'), {})
// @ts-expect-error a time is no date
user.dependants.create({ dependants: [{ first_name: 'R', last_name: 'E', date_of_birth: new Date() }] })
// @ts-expect-error neither is a time as text
user.dependants.create({ dependants: [{ first_name: 'R', last_name: 'E', date_of_birth: '2015-08-02T00:00:00Z' }] })
// @ts-expect-error there is no such state
user.policies.waitFor(policyId('pol_1'), 'ISSUE')
// @ts-expect-error there is no such type of event
banyan.events.follow({ types: ['policy.changed'] })
export async function read() {
  const found = await user.read({ ifNoneMatch: '"1"' })
  // @ts-expect-error it may not have changed
  found.email
  if (found === notModified) return
  const day: string | null = found.dob
  const since: number = found.created_at.getTime()
  return [day, since]
}
// @ts-expect-error a state may be new
export function covered({ status }: InsurancePolicyStatus): boolean {
  switch (status) {
    case 'ISSUED': case 'REQUIRES_CUSTOMER_RENEWAL': case 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE': case 'REQUIRES_POLICY_REISSUANCE': return true
    case 'PENDING': case 'VERIFICATION': case 'APPROVED': case 'EXPIRED': case 'REJECTED': return false
  }
}
export async function types() {
  for await (const event of banyan.events.follow())
    if (event.type === 'wallet.balance_changed') return event.data.transaction_id
  return undefined
}
`

/** With a page's types only, and with undefined members written out. */
const PAGE = `
import { Banyan } from '@banyan/client'
import { verify } from '@banyan/client/webhooks'
import { Sandbox } from '@banyan/client/sandbox'
import { Connection, readWallet } from '@banyan/client/operations'
import { Banyan as InPage } from '@banyan/client/browser'
const banyan: Banyan = new InPage({ accessToken: undefined, baseUrl: undefined, timeout: undefined })
export const list = banyan.users.list({ limit: undefined }, { signal: undefined })
export const all = [verify, Sandbox, new Connection({}).call(readWallet, {})]
`

describe('the packed client', () => {
  it('has compiled modules of both kinds with types, a README, its changes, and nothing else', () => {
    const others = files.filter((path) => !/^dist\/(cjs\/)?(generated\/)?[a-z-]+\.(js|d\.ts)$/.test(path))
    assert.deepEqual(others.toSorted(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/cjs/package.json',
      'package.json',
    ])
  })

  it('installs from its tarball without a network, alone', async () => {
    const installed = await readdir(join(folder, 'node_modules/@banyan'))
    assert.deepEqual(installed, ['client'])
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as { packages: object }
    assert.deepEqual(Object.keys(lock.packages), ['', 'node_modules/@banyan/client'])
  })

  for (const resolution of ['nodenext', 'bundler'])
    for (const exact of [false, true]) {
      it(`compiles: moduleResolution ${resolution}, exactOptionalPropertyTypes ${exact}`, async () => {
        const name = `${resolution}-${exact}`
        await writeFile(join(folder, 'mistakes.ts'), MISTAKES)
        await writeFile(join(folder, 'page.ts'), PAGE)
        const compilerOptions = {
          target: 'es2022',
          lib: ['es2022', 'dom', 'dom.iterable'],
          module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
          moduleResolution: resolution,
          types: [],
          strict: true,
          exactOptionalPropertyTypes: exact,
          noUncheckedIndexedAccess: exact,
          noEmit: true,
        }
        const files = ['mistakes.ts', 'page.ts']
        await writeFile(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files }))
        await run(tool('tsc'), ['-p', `${name}.json`], { cwd: folder })
      })
    }

  it('is small: one operation less than 7.5 kB, all of it less than 15 kB', async () => {
    const sizes: number[] = []
    const programs = {
      one: `import { Connection, creditWallet, Money } from '@banyan/client/operations'
        const connection = new Connection({ basicToken: 'x' })
        await connection.call(creditWallet, { path: { user_id: 'u' }, body: { amount: Money.rupees('5'), reference: 'r' } })`,
      all: `export * from '@banyan/client'`,
      verify: `export { verify } from '@banyan/client/webhooks'`,
    }
    for (const [name, text] of Object.entries(programs)) {
      await writeFile(join(folder, `${name}.js`), text)
      const args = ['--bundle', '--minify', '--format=esm', '--target=es2022', '--log-level=warning']
      sizes.push(gzipSync(await run(tool('esbuild'), [`${name}.js`, ...args], { cwd: folder }), { level: 9 }).length)
    }
    const [one = Infinity, all = Infinity, verify = Infinity] = sizes
    const inBrowser = gzipSync(await readFile(join(folder, 'node_modules/@banyan/client/dist/browser.js'))).length
    assert(one < ONE_OPERATION_BYTES_MAX && all < ALL_BYTES_MAX && inBrowser < ALL_BYTES_MAX, sizes.join(' '))
    assert(verify < 2_000, `only what verifies: ${verify}`)
  })
})
