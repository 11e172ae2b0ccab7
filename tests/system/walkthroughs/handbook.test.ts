import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { pathsBelow, readText } from '../../support/sources.ts'
import { newWorkspace, runScript, startServer } from '../../support/server.ts'

const workspace = await newWorkspace()
const server = await startServer(workspace)
after(async () => {
  await server.stop()
  await workspace.remove()
})
const environment = {
  ...workspace.environment,
  BANYAN: workspace.origin,
  SANDBOX: workspace.sandboxUrl,
  TMPDIR: workspace.folder,
}

const FIRST = 'docs/partners/first-policy.md'

/** What the commands of a page must print, in this order. A page without an entry here has no commands. */
const PRINTED: Record<string, RegExp> = {
  'README.md': /"plan_code":"FAMILY_5L"/,
  [FIRST]: /"status":"VERIFICATION".*"status":"APPROVED".*"status":"ISSUED".*"allowed_transitions"/s,
  'docs/partners/authentication.md': /"user_id":"\d{12}".*"own_records_only":true.*"credentials":\[/s,
  'docs/partners/web-app.md':
    /"web_origins":\["http:\/\/localhost:5173"\].*access-control-allow-origin: http:\/\/localhost:5173/s,
  'docs/partners/onboarding.md': /"access_token".*"email":"asha\.new@example\.com".*"total":/s,
  'docs/partners/number-changes-hands.md': /"state":"VOID".*"phone_number":"".*"phone_number":"\d+"/s,
  'docs/partners/dependants.md': /"first_name":"Ravi".*"first_name":"Ravindra"/s,
  'docs/partners/enrolment.md': /"status":"ISSUED".*"actor_kind".*"document_type":"customer_information_sheet"/s,
  'docs/partners/corrections.md': /"kind":"NOMINEE".*"state":"ACCEPTED".*"issue":2/s,
  'docs/partners/joiners.md':
    /"asked_from":"\d{4}.*"kind":"JOIN".*"state":"ACCEPTED".*"kind":"LEAVE".*"refund":\{"days".*"state":"ACCEPTED"/s,
  'docs/partners/ends.md':
    /"code":"LEFT".*"kind":"END",.*"state":"ACCEPTED".*"amount":\{"currency":"INR","value":4500\}.*"on":null/s,
  'docs/partners/coverage.md': /"reason":"in_force".*"reason":"not_named".*"reason":"in_grace".*"reason":"unknown"/s,
  'docs/partners/next-actions.md':
    /"code":"return_policy".*"code":"decide_endorsement".*"code":"reissue_policy".*"state":"ACCEPTED"/s,
  'docs/partners/renewals.md': /"status":"ISSUED"/,
  'docs/partners/wallets.md':
    /"status":"ACTIVE".*"balance_after":50000.*"balance_after":30000.*"balance":30000.*spectacles.*"refund_of":"txn_.*lenses-back/s,
  'docs/partners/deposits.md':
    /"reason":"deposit_short".*"kind":"TOP_UP".*"status":"ISSUED".*"cover_from":"20.*END,.*PREMIUM,.*"balance":/s,
  'docs/partners/comparing.md':
    /member,\d{12},Asha.*"rows":2,.*"birth":1.*"difference":"birth","row":2.*"missing_here","row":3.*"amount","row":2,"column":"credit".*"missing_here","row":3.*"balance","row":3/s,
  'docs/partners/consultations.md': /fever since Monday.*rest for two days.*"status":"CLOSED"/s,
  'docs/partners/consent.md':
    /"version":"2027-05".*"purpose":"care".*"purpose":"children".*"withdrawn_at":"20.*"reason":"consent_missing".*"state":"ANSWERED"/s,
  'docs/partners/webhooks.md': /"status":"(?:DELIVERED|PENDING)".*"queued":\d+/s,
  'docs/partners/sync.md': /"has_more".*"to":"ISSUED".*"as_of"/s,
  'docs/partners/retries.md': /"email":"asha@example\.com"/,
  'docs/partners/testing.md': /"wallets":\[/,
  'docs/operators/audit-people.md': /consent insurance SELF .*notice 2027-06\/en withdrawn -.*0 missing/s,
  'docs/operators/after-a-breach.md': /"revoked":true.*"operation":"readUser".*user_id,subject,operation,summary/s,
  'docs/operators/first-partner.md': /"status":"ACTIVE".*"revoked":true.*My bank of India.*"status":"active".*"as_of"/s,
}
/** These begin with what the operators do, or with nothing. */
const ON_THEIR_OWN = ['README.md', FIRST, 'docs/operators/after-a-breach.md', 'docs/operators/first-partner.md']

/** What the demo reports while it works. */
const PROGRESS = /^(?:Creating a family at| {2}).*\n/gm

/** As on the page, but a member that no operation knows is an error instead of ignored. */
const commandsOf = (path: string) =>
  [...readText(path).matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, block = '']) => block)
    .join('\n')
    .replaceAll('curl -sS --fail-with-body', "$& -H 'prefer: handling=strict'")

describe('the commands of the handbook', () => {
  it('are all run here, by page', () => {
    const pages = ['README.md', ...pathsBelow('docs')].filter((path) => path.endsWith('.md'))
    assert.deepEqual(pages.filter((path) => commandsOf(path) !== '').toSorted(), Object.keys(PRINTED).toSorted())
  })

  it('name the sandbox of the server that shows them, not the one of another Banyan', async () => {
    for (const page of ['webhooks', 'wallets', 'testing', 'renewals']) {
      const text = await (await fetch(`${workspace.origin}/docs/partners/${page}.md`)).text()
      assert(text.includes(workspace.sandboxUrl) && !text.includes('localhost:8081'), page)
    }
  })

  for (const [path, printed] of Object.entries(PRINTED)) {
    it(`of ${path} work as printed, after those that it names, and again`, async () => {
      const before = ON_THEIR_OWN.includes(path) ? '' : commandsOf(FIRST)
      const script = ['set -euo pipefail', before, 'echo "@@@"', commandsOf(path)].join('\n')
      for (const _walk of ['first', 'second']) {
        const { code, stdout, stderr } = await runScript(script, environment)
        assert.deepEqual([code, stderr.replaceAll(PROGRESS, '')], [0, ''], stdout)
        assert.match(stdout.split('@@@\n')[1] ?? '', printed)
      }
    })
  }
})
