import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sign } from '../../../client/src/webhooks.ts'
import type { Demo } from '../../../sandbox/demo.ts'
import { exampleOfEvent } from '../../../src/record/index.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { installPythonClient } from '../../support/installed-python.ts'
import { installPackedClient, run } from '../../support/packed-client.ts'
import { freePorts, newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'
import { readText } from '../../support/sources.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const LINES_MAX = 80
const SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`
/** `page.tsx` runs in a browser: `tests/browser/samples.browsertest.ts`. */
/** `audit.mjs` has a test of its own: `tests/system/client/audit-sample.test.ts`. */
const TESTED = ['audit.mjs', 'express.mjs', 'fastify.mjs', 'next-route.ts', 'nightly.ts', 'page.tsx', 'partner.py']

const workspace = await newWorkspaceWithDatabase()
const [{ folder, tool }, { python }, server] = await Promise.all([
  installPackedClient(),
  installPythonClient(),
  startServer(workspace),
])
after(async () => {
  await server.stop()
  await workspace.remove()
})
for (const name of ['fastify', 'express', 'react', 'react-dom', '@types/react', '@types/react-dom', 'csstype'])
  await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
for (const name of TESTED) await copyFile(join(ROOT, 'samples', name), join(folder, name))

const demo = JSON.parse((await runCommand(['demo', '--json'], workspace.environment)).stdout) as Demo
const env = {
  BANYAN_URL: workspace.origin,
  BASIC_TOKEN: demo.platform.basic_token,
  INSURER_BASIC_TOKEN: demo.benefit_provider.basic_token,
  BENEFIT_ID: demo.benefit_id,
  WEBHOOK_SECRET: SECRET,
}

const event = exampleOfEvent('policy.status_changed') as Parameters<typeof sign>[0]
const signed = await sign(event, SECRET)
const forged = await sign(event, `whsec_${Buffer.from('a secret of somebody else!!!').toString('base64')}`)

describe('the samples', () => {
  it('are all run here, named in their README, and at most 80 lines', async () => {
    const files = (await readdir(join(ROOT, 'samples'))).filter((name) => name !== 'README.md')
    assert.deepEqual(files.toSorted(), TESTED)
    for (const name of files) {
      assert(readText(`samples/${name}`).split('\n').length <= LINES_MAX, name)
      assert(readText('samples/README.md').includes(`(${name})`), name)
    }
  })

  it('compile under strict', async () => {
    const compilerOptions = {
      target: 'es2022',
      jsx: 'react-jsx',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      noEmit: true,
    }
    const files = TESTED.filter((name) => /\.tsx?$/.test(name))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    await run(tool('tsc'), ['-p', '.'], { cwd: folder })
  })

  for (const name of ['express.mjs', 'fastify.mjs'])
    it(`${name} accepts a webhook that is signed, and no other`, async () => {
      const [port = 0] = await freePorts(1)
      const child = spawn(process.execPath, [name], {
        cwd: folder,
        env: { ...process.env, ...env, PORT: String(port) },
      })
      let printed = ''
      child.stdout.on('data', (chunk: Buffer) => (printed += String(chunk)))
      const post = async ({ body, headers }: typeof signed) =>
        (await fetch(`http://localhost:${port}/hook`, { method: 'POST', body, headers })).status
      try {
        await within(DEADLINE_MS, () => post(forged).then(Boolean, () => false))
        assert.deepEqual([await post(signed), await post(forged)], [204, 400])
        await within(DEADLINE_MS, async () => printed.includes(`policy.status_changed ${event.subject}`))
      } finally {
        child.kill()
        await once(child, 'exit')
      }
    })

  it('next-route.ts lists the policies of the user who is logged in, and nothing for nobody', async () => {
    Object.assign(process.env, env)
    after(() => Object.keys(env).forEach((name) => delete process.env[name]))
    const { GET } = (await import(pathToFileURL(join(folder, 'next-route.ts')).href)) as {
      GET: (request: Request) => Promise<Response>
    }
    const get = (headers: Record<string, string>) => GET(new Request('https://partner.example/', { headers }))
    const response = await get({ 'x-session-user': demo.user.user_id })
    const policies = (await response.json()) as object[]
    assert(policies.length > 0)
    assert.deepEqual(Object.keys(policies[0] ?? {}), ['id', 'plan_code', 'end_date'])
    assert.equal((await get({})).status, 401)
    assert.equal((await get({ 'x-session-user': '000000000000' })).status, 404)
  })

  it('nightly.ts issues what waits, and nothing when it runs again', async () => {
    await python([join(ROOT, 'samples/partner.py')], { env })
    const first = await run(process.execPath, ['nightly.ts'], { cwd: folder, env })
    assert.match(first, /^issued [1-9]\d* left 0$/m)
    assert.match(await run(process.execPath, ['nightly.ts'], { cwd: folder, env }), /^issued 0 left 0$/m)
  })

  it('partner.py enrols somebody, and sees why not twice', async () => {
    const printed = await python([join(ROOT, 'samples/partner.py')], { env })
    assert.match(printed, /^enrolled pol_\w+ PENDING\nagain conflict \w+\nform %PDF-\nlisted True\n$/)
  })
})
