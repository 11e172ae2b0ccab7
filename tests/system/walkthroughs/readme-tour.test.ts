import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { SETTINGS } from '../../../src/settings/table.ts'
import type { Body } from '../../support/app.ts'
import { textOf } from '../../support/pdf.ts'
import { clientOf, newWorkspace, runCommand, runScript, startServer } from '../../support/server.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

const README = read('README.md')
const workspace = await newWorkspace()
const server = await startServer(workspace)
after(async () => {
  await server.stop()
  await workspace.remove()
})
const send = clientOf(workspace.origin)

/** The text between a heading and the next one. */
function section(heading: string): string {
  const [, text] = README.split(`\n## ${heading}\n`)
  assert(text, `README has a section ${heading}`)
  return text.split('\n## ', 1)[0] as string
}

const shellBlocks = (text: string) => [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] as string)

/** The first column of a section's table, without the formatting around the name. */
const firstColumn = (text: string) => [...text.matchAll(/^\| `([^` ]+)/gm)].map((match) => match[1] as string)

/** The texts of the PDFs that the tour has downloaded. */
async function pdfTextsBelow(folder: string): Promise<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.pdf'))
  const texts = names.map(async (name) => {
    const text = await textOf(readFileSync(join(folder, name)))
    return [basename(name), text.replaceAll(/\s+/g, ' ')] as const
  })
  return Object.fromEntries(await Promise.all(texts))
}

describe('README', () => {
  it('the tour works as printed', async () => {
    const blocks = shellBlocks(section('Tour'))
    assert(blocks.length >= 5)
    const script = ['set -euo pipefail', ...blocks].join('\n')
    const { code, stdout, stderr } = await runScript(script, {
      ...workspace.environment,
      BANYAN: workspace.origin,
      SANDBOX: workspace.sandboxUrl,
      TMPDIR: workspace.folder,
    })
    assert.deepEqual([code, stderr], [0, ''], stdout)

    const responses: Body[] = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    const webhooks = responses.splice(responses.findIndex(({ secret }) => secret !== undefined))
    const statuses = responses.map(({ status }) => status).filter(Boolean)
    const ofPolicy = ['VERIFICATION', 'APPROVED', 'ISSUED', 'ISSUED']
    const ofBank = ['active', 'inactive', 'active']
    assert.deepEqual(statuses, ['ACTIVE', ...ofPolicy, 'ACTIVE', 'ACTIVE', ...ofBank, 'ISSUED'])
    assert(responses.some(({ email }) => email === 'asha.new@example.com'))
    const received = webhooks.flatMap(({ deliveries = [] }) => deliveries)
    assert(
      received.length > 1 &&
        received.every(({ signature, type }: Body) => `${type} ${signature}` === 'user.updated valid'),
    )
    assert(webhooks.some(({ queued }) => queued > 1))
    const users = responses
      .filter(({ data }) => data?.[0]?.phone_number !== undefined)
      .map(({ data }) => data[0].user_id)
    assert.deepEqual([users.length, new Set(users).size], [2, 1], 'listed and found')
    const timeline = responses.find(({ data }) => data?.[0]?.actor_kind !== undefined)
    assert.deepEqual([timeline.data.length, timeline.data[0].kind], [5, 'ISSUED'])
    const policies = responses.find(({ data }) => data?.[0]?.plan_code !== undefined)
    assert.deepEqual([policies.total, policies.data[0].dependants[0].first_name], [1, 'Ravi'])
    const renewed = responses.filter(({ data }) => data?.[0]?.plan_code !== undefined).at(-1)
    assert.deepEqual([renewed.data[0].start_date, renewed.data[0].end_date], ['2027-04-01', '2028-03-31'])
    const pdfTexts = await pdfTextsBelow(workspace.folder)
    assert.match(pdfTexts['certificate.pdf'] ?? '', /1 April 2026.*31 March 2027/)
    assert.match(pdfTexts['renewed.pdf'] ?? '', /1 April 2027.*31 March 2028/)
    assert.match(pdfTexts['card.pdf'] ?? '', /Asha Example/)
    assert.match(pdfTexts['card-of-child.pdf'] ?? '', /Ravi Example/)
    assert(responses.some(({ document_type }) => document_type === 'customer_information_sheet'))
    assert.match(stdout, /"external_account_id":"EXT-\d+"/)
    const talk = responses.find(({ data }) => data?.messages !== undefined)
    const senders = talk.data.messages.map((message: Body) => message.sender_display_name)
    assert.deepEqual(senders, ['Asha Example', 'My insurer'])
    const events = responses.filter(({ has_more }) => has_more !== undefined)
    assert.deepEqual(
      events.map(({ data }) => data.map((event: Body) => event.data.to ?? event.type)),
      [
        ['PENDING', 'VERIFICATION', 'APPROVED', 'ISSUED', 'document.uploaded', 'document.upload_deleted'],
        ['PENDING', 'VERIFICATION'],
      ],
    )
    assert.equal(events[1]?.next, events[1]?.data[1].id)
    const listed = responses
      .filter(({ credentials }) => credentials !== undefined)
      .map(({ credentials }) => credentials.length)
    assert.deepEqual(listed, [2, 1], 'of the insurer before the revocation, and of the platform')
    assert.equal(responses.filter(({ revoked }) => revoked === true).length, 2)
    const limited = responses.find(({ ip_allow_list }) => ip_allow_list !== undefined)
    assert.deepEqual([limited.expires_at, limited.ip_allow_list], ['2099-12-31T00:00:00', ['192.0.2.0/24']])
    assert(
      responses.some(({ id }) => String(id).startsWith('bnf_')),
      'the deleted benefit',
    )
    assert(responses.some(({ name }) => name === 'My bank of India'))
    const [credited, debited, seen, latest, wallet, list] = responses.slice(-6)
    assert.deepEqual([credited.balance_after, debited.balance_after], [50_000, 30_000])
    assert.deepEqual(
      [wallet.balance, wallet.wallet_status, wallet.wallet_status_partner],
      [30_000, 'COMPLETED', 'ACTIVE'],
    )
    const references = ({ data }: Body) => data.map(({ reference }: Body) => reference)
    assert.deepEqual(references(list), ['spectacles', 'allowance'])
    assert.deepEqual([seen, references(latest)], [wallet, ['spectacles']])
    const provisioning = responses.filter(({ wallet_id }) => wallet_id).map(({ wallet_status }) => wallet_status)
    assert.deepEqual(provisioning, ['FAILED', 'COMPLETED'])
  })

  it('the settings table has settings only, and leads to the page that has all of them', () => {
    const names = [...section('Settings').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map((match) => match[1] as string)
    const others = ['BANYAN_CONFIG', 'NAME_FILE']
    assert.deepEqual(
      names.filter((name) => !(name in SETTINGS) && !others.includes(name)),
      [],
    )
    assert.equal(firstColumn(section('Settings')).length, 10)
    const page = read('docs/reference/settings.md')
    assert.deepEqual(firstColumn(page).toSorted(), Object.keys(SETTINGS).toSorted())
  })

  it('the commands table has every command, and no other', async () => {
    const { stdout } = await runCommand(['--help'], workspace.environment)
    const listed = [...(stdout.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1])
    assert.deepEqual(
      [...new Set(firstColumn(section('Commands')))],
      listed.filter((name) => name !== 'help'),
    )
  })

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
