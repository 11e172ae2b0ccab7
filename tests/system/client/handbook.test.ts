import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sign, type SignedWebhook } from '../../../client/src/webhooks.ts'
import type { Demo } from '../../../sandbox/demo.ts'
import { exampleOfEvent } from '../../../src/record/index.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { installPackedClient, run } from '../../support/packed-client.ts'
import { freePorts, newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'
import { pathsBelow, readText } from '../../support/sources.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`

const workspace = await newWorkspaceWithDatabase()
const [{ folder, tool }, server] = await Promise.all([installPackedClient(), startServer(workspace)])
after(async () => {
  await server.stop()
  await workspace.remove()
})
// A partner has these packages.
for (const name of ['fastify', 'express'])
  await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))

const { stdout } = await runCommand(['demo', '--json'], workspace.environment)
const demo = JSON.parse(stdout) as Demo
const env = {
  BANYAN_URL: workspace.origin,
  SANDBOX_URL: workspace.sandboxUrl,
  BASIC_TOKEN: demo.platform.basic_token,
  PLATFORM_ID: demo.platform.id,
  BENEFIT_ID: demo.benefit_id,
  WEBHOOK_SECRET: SECRET,
}

type Snippet = { path: string; kind: string; text: string; name: string }

const pages = ['README.md', ...pathsBelow('docs').toSorted()].filter((path) => path.endsWith('.md'))
const snippets: Snippet[] = pages.flatMap((path) =>
  [...readText(path).matchAll(/^```((?:ts|js|python)(?: \w+)?)\n(.*?)^```$/gms)].map(
    ([, kind = '', text = ''], index) => ({
      path,
      kind,
      text,
      name: `${path.replace(/\.md$/, '').replaceAll(/\W/g, '-')}-${index}`,
    }),
  ),
)
const snippetOf = (path: string, kind: string) => {
  const found = snippets.find((one) => one.path === path && one.kind === kind)
  assert(found, `${path} has a snippet of ${kind}`)
  return found
}

/** Compiles the TypeScript of all pages as a partner does, strictly. */
async function compile(): Promise<void> {
  const written = snippets.filter(({ kind }) => kind.startsWith('ts'))
  for (const { name, text } of written) await writeFile(join(folder, `${name}.ts`), text)
  const compilerOptions = { target: 'es2022', module: 'nodenext', types: ['node'], strict: true, skipLibCheck: true }
  const config = { compilerOptions, files: written.map(({ name }) => `${name}.ts`) }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await run(tool('tsc'), ['-p', '.'], { cwd: folder })
}
await compile()

const runCompiled = ({ name }: Snippet) => run(process.execPath, [`${name}.js`], { cwd: folder, env })

const WEBHOOKS = 'docs/partners/webhooks.md'
const event = exampleOfEvent('policy.status_changed') as Parameters<typeof sign>[0]
const signed = await sign(event, SECRET)
const forged = await sign(event, `whsec_${Buffer.from('a secret of somebody else!!!').toString('base64')}`)

/** Starts a receiver of a page as a program, and returns its status for a webhook that is ours and for one that is not. */
async function statusesOf(file: string): Promise<number[]> {
  const [port = 0] = await freePorts(1)
  const receiver = spawn(process.execPath, [file], { cwd: folder, env: { ...process.env, ...env, PORT: String(port) } })
  const post = async ({ body, headers }: SignedWebhook) =>
    (await fetch(`http://localhost:${port}/hook`, { method: 'POST', body, headers })).status
  try {
    await within(DEADLINE_MS, () =>
      post(signed).then(
        () => true,
        () => false,
      ),
    )
    return [await post(signed), await post(forged)]
  } finally {
    receiver.kill()
    await once(receiver, 'exit')
  }
}

describe('the snippets of the handbook', () => {
  it('are all run here', () => {
    assert.deepEqual(
      snippets.map(({ path, kind }) => `${path}: ${kind}`),
      [
        'README.md: ts',
        'docs/partners/first-policy.md: ts',
        'docs/partners/sync.md: ts',
        'docs/partners/wallets.md: ts',
        `${WEBHOOKS}: ts web`,
        `${WEBHOOKS}: ts server`,
        `${WEBHOOKS}: js server`,
        `${WEBHOOKS}: python`,
      ],
    )
  })

  it('README enrols somebody', async () => {
    assert.match(await runCompiled(snippetOf('README.md', 'ts')), /^pol_\w+ \d{4}-\d\d-\d\d\n$/)
  })

  it('they run as the pages say: saved as first.mts, by Node itself', async () => {
    for (const path of ['README.md', 'docs/partners/first-policy.md']) {
      assert.match(readText(path), /`first\.mts`/)
      await writeFile(join(folder, 'first.mts'), snippetOf(path, 'ts').text)
      assert.match(await run(process.execPath, ['first.mts'], { cwd: folder, env }), /^pol_/)
    }
  })

  it('the first policy waits for the insurer', async () => {
    assert.match(await runCompiled(snippetOf('docs/partners/first-policy.md', 'ts')), /^pol_\w+ PENDING\n$/)
  })

  it('a wallet is credited', async () => {
    assert.equal(await runCompiled(snippetOf('docs/partners/wallets.md', 'ts')), 'balance ₹500.00\n')
  })

  it('events are followed', async () => {
    const printed = await runCompiled(snippetOf('docs/partners/sync.md', 'ts'))
    assert.match(printed, /^pol_\w+ APPROVED ISSUED\n$/m)
  })

  it('a handler of web requests accepts a webhook that is signed, and no other', async () => {
    process.env['WEBHOOK_SECRET'] = SECRET
    after(() => delete process.env['WEBHOOK_SECRET'])
    const { name } = snippetOf(WEBHOOKS, 'ts web')
    const { POST } = (await import(pathToFileURL(join(folder, `${name}.js`)).href)) as {
      POST: (request: Request) => Promise<Response>
    }
    const post = async ({ body, headers }: SignedWebhook) =>
      (await POST(new Request('https://partner.example/hook', { method: 'POST', body, headers }))).status
    assert.deepEqual([await post(signed), await post(forged)], [204, 400])
  })

  it('so does Fastify', async () => {
    assert.deepEqual(await statusesOf(`${snippetOf(WEBHOOKS, 'ts server').name}.js`), [204, 400])
  })

  it('so does Express', async () => {
    const { text } = snippetOf(WEBHOOKS, 'js server')
    await writeFile(join(folder, 'express-receiver.js'), text)
    assert.deepEqual(await statusesOf('express-receiver.js'), [204, 400])
  })

  it('so does Python', async () => {
    const program = `${snippetOf(WEBHOOKS, 'python').text}
import json, sys
signed, forged = json.load(sys.stdin)
for sent in [signed, forged]:
    print(is_valid(sent['body'].encode(), sent['headers'], '${SECRET}'))
for bad in [{}, {'webhook-timestamp': 'x'}, {'webhook-timestamp': '\u00b2'}, {'webhook-signature': 'v1,\u2026'}, {'webhook-id': '\u2026'}]:
    print(is_valid(b'', {**signed['headers'], **bad} if bad else {}, '${SECRET}'))
`
    const python = spawn('python3', ['-c', program])
    python.stdin.end(JSON.stringify([signed, forged]))
    let printed = ''
    python.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    await once(python, 'close')
    assert.equal(printed, `True\n${'False\n'.repeat(6)}`, 'and what is wrong is refused, not raised')
  })
})
