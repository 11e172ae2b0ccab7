import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Demo } from '../../sandbox/demo.ts'
import { installPackedClient, run } from '../support/packed-client.ts'
import { freePorts, newWorkspaceWithDatabase, runCommand, startServer } from '../support/server.ts'
import { readText } from '../support/sources.ts'
import { emptyProject, npm } from './installation.ts'

const { platform, arch } = process
const isArm = arch === 'arm64'

type Runtime = { alias: string; package: string; program: string; args?: string[]; version: RegExp }

/**
 * The runtimes that the client is made for, as the registry has them for this system: binaries without install scripts.
 * Node 24 is what the other tests run on.
 */
const RUNTIMES: Record<string, Runtime> = {
  'Node 20': { alias: 'node20', package: `node-${platform}-${arch}@20.20.2`, program: 'bin/node', version: /^v20\./ },
  'Node 22': { alias: 'node22', package: `node-${platform}-${arch}@22.23.3`, program: 'bin/node', version: /^v22\./ },
  Bun: {
    alias: 'bun',
    package: `@oven/bun-${platform}-${isArm ? 'aarch64' : arch}@1.4.5`,
    program: 'bin/bun',
    version: /^1\.4\./,
  },
  Deno: {
    alias: 'deno',
    package: `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}@2.9.6`,
    program: 'deno',
    args: ['run', '--no-prompt', '--allow-env', '--allow-net', '--allow-read'],
    version: /^deno 2\.9\./,
  },
}

/** What the README's program lacks: the events of the member, which it has just made. */
const FOLLOW = `
for await (const event of banyan.events.follow({ types: ['policy.status_changed'] })) {
  if (event.type !== 'policy.status_changed' || event.subject !== policy.id) continue
  console.log('event', event.type, event.data.to)
  break
}
`

/** The program of the client's README, which makes a member of its own each time. */
function partnerProgram(): string {
  const [, program] = /^```ts program\n(.*?)^```$/ms.exec(readText('client/README.md')) ?? []
  assert(program !== undefined)
  return program + FOLLOW
}

/** Prints what a redirect becomes. */
const REDIRECTED = `
import { Banyan } from '@banyan/client'
const banyan = new Banyan({ basicToken: process.env.BASIC_TOKEN, baseUrl: process.env.BANYAN_URL })
await banyan.users.list().catch((error) => console.log(error.name, error.location))
`

const reached: (string | undefined)[] = []
const elsewhere = await listen((request, response) => {
  reached.push(request.url)
  response.end('{}')
})
const redirecting = await listen((request, response) => {
  response.writeHead(307, { location: `${elsewhere}${request.url}` }).end()
})

/** Returns the origin of a server on this machine that ends with the tests. */
async function listen(respond: RequestListener): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let root: string
const workspace = await newWorkspaceWithDatabase()
const [{ folder, tool }, server] = await Promise.all([installPackedClient(), startServer(workspace)])
const { stdout } = await runCommand(['demo', '--json'], workspace.environment)
const demo = JSON.parse(stdout) as Demo

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'banyan-runtimes-'))
  const aliases = Object.values(RUNTIMES).map((runtime) => `${runtime.alias}@npm:${runtime.package}`)
  await npm(
    ['install', '--prefer-offline', '--ignore-scripts', '--force', '--no-audit', '--no-fund', ...aliases],
    await emptyProject(join(root, 'runtimes')),
  )
  await writeFile(join(folder, 'partner.ts'), partnerProgram())
  await writeFile(join(folder, 'redirected.js'), REDIRECTED)
  const compilerOptions = { target: 'es2022', module: 'nodenext', types: ['node'], strict: true }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['partner.ts'] }))
  await run(tool('tsc'), ['-p', '.'], { cwd: folder })
})
after(async () => {
  await server.stop()
  await workspace.remove()
  await rm(root, { recursive: true, force: true })
})

describe('the packed client, from a basic_token to a verified webhook and an event', () => {
  for (const [name, runtime] of Object.entries(RUNTIMES)) {
    it(`runs on ${name} (${runtime.package})`, async () => {
      const program = join(root, 'runtimes/node_modules', runtime.alias, runtime.program)
      const [port] = await freePorts(1)
      const env = {
        HOME: root, // its caches, too, end with the test
        DENO_NO_UPDATE_CHECK: '1',
        DO_NOT_TRACK: '1',
        BANYAN_URL: workspace.origin,
        SANDBOX_URL: workspace.sandboxUrl,
        BASIC_TOKEN: demo.platform.basic_token,
        PLATFORM_ID: demo.platform.id,
        BENEFIT_ID: demo.benefit_id,
        HOOK_PORT: String(port),
      }
      assert.match(await run(program, ['--version'], { cwd: folder, env }), runtime.version)
      const printed = await run(program, [...(runtime.args ?? []), 'partner.js'], { cwd: folder, env })
      const lines = printed.trim().split('\n').toSorted()
      assert.equal(lines.length, 3, printed)
      assert.equal(lines[0], 'event policy.status_changed PENDING')
      assert.match(lines[1] ?? '', /^pol_\w+ ₹500\.00$/)
      assert.equal(lines[2], 'webhook wallet.balance_changed')
      const redirected = await run(program, [...(runtime.args ?? []), 'redirected.js'], {
        cwd: folder,
        env: { ...env, BANYAN_URL: redirecting },
      })
      assert.equal(redirected.trim(), `RedirectError ${elsewhere}/v1/oauth/token`)
      assert.deepEqual(reached, [], 'the basic_token went nowhere else')
    })
  }
})
