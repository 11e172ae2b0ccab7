import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { startBusyServer } from '../support/busy-server.ts'
import { readText } from '../support/sources.ts'

const ROOT = new URL('../../', import.meta.url).pathname
const RULES = 'deploy/observability/alerts.yml'
const TIMEOUT_MS = 60_000

/** Runs promtool; returns its output and exit code. */
async function promtool(args: string[], input = ''): Promise<{ code: number | null; output: string }> {
  const tool =
    process.env['BANYAN_TEST_PROMTOOL'] ?? assert.fail('run by `npm run test:alerts`, which fetches promtool')
  const child = spawn(tool, args, { cwd: ROOT, timeout: TIMEOUT_MS })
  child.stdin.end(input)
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, output: stdout + stderr }
}

describe('the alerts', () => {
  it('are well formed', async () => {
    const { code, output } = await promtool(['check', 'rules', RULES])
    assert.equal(code, 0, output)
    const alerts = readText(RULES).match(/- alert: /g)?.length
    assert.match(output, new RegExp(`SUCCESS: ${alerts} rules found`))
  })

  it('each have a case in which they fire and one in which they do not, and all cases pass', async () => {
    const cases = readText('tests/alerts/alerts.test.yml')
    for (const [, name] of readText(RULES).matchAll(/- alert: (\w+)/g))
      for (const what of ['fires', 'stays quiet'])
        assert(cases.includes(`- name: ${name} ${what}\n`), `${name} ${what}`)
    const { code, output } = await promtool(['test', 'rules', 'tests/alerts/alerts.test.yml'])
    assert.equal(code, 0, output)
  })

  it('fail the run when a case is wrong', async () => {
    const { code } = await promtool(['test', 'rules', 'tests/alerts/wrong.test.yml'])
    assert.notEqual(code, 0)
  })
})

describe('the page of metrics', () => {
  it('is valid for Prometheus', async () => {
    const busy = await startBusyServer()
    after(() => busy.stop())
    const page = await (await fetch(busy.workspace.metricsUrl)).text()
    assert.match(page, /^http_request_duration_seconds_bucket/m)
    const { code, output } = await promtool(['check', 'metrics'], page)
    assert.deepEqual([code, output], [0, ''])
    const { output: complaint } = await promtool(
      ['check', 'metrics'],
      '# HELP a_total A\n# TYPE a_total gauge\na_total 1\n',
    )
    assert.match(complaint, /_total/, 'a name against the conventions is found')
  })
})
