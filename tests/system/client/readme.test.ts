import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Demo } from '../../../sandbox/demo.ts'
import { installPackedClient, run } from '../../support/packed-client.ts'
import { freePorts, newWorkspaceWithDatabase, runCommand, startServer } from '../../support/server.ts'

const README = readFileSync(new URL('../../../client/README.md', import.meta.url), 'utf8')
const PROGRAM_LINES_MAX = 25

const workspace = await newWorkspaceWithDatabase()
const [{ folder, tool }, server] = await Promise.all([installPackedClient(), startServer(workspace)])
after(async () => {
  await server.stop()
  await workspace.remove()
})

const { stdout } = await runCommand(['demo', '--json'], workspace.environment)
const demo = JSON.parse(stdout) as Demo
const [port] = await freePorts(1)
const env = {
  BANYAN_URL: workspace.origin,
  SANDBOX_URL: workspace.sandboxUrl,
  BASIC_TOKEN: demo.platform.basic_token,
  PLATFORM_ID: demo.platform.id,
  INSURER_BASIC_TOKEN: demo.benefit_provider.basic_token,
  BENEFIT_ID: demo.benefit_id,
  HOOK_PORT: String(port),
}

const blocks = (kind: string) =>
  [...README.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'gms'))].map((match) => String(match[1]))

/** Compiles the program as a partner does, strictly, and runs it. */
async function runProgram(name: string, text: string): Promise<string> {
  await writeFile(join(folder, `${name}.ts`), text)
  const compilerOptions = { target: 'es2022', module: 'nodenext', types: ['node'], strict: true, outDir: '.' }
  for (const exactOptionalPropertyTypes of [true, false]) {
    const config = { compilerOptions: { ...compilerOptions, exactOptionalPropertyTypes }, files: [`${name}.ts`] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await run(tool('tsc'), ['-p', '.'], { cwd: folder })
  }
  return run(process.execPath, [`${name}.js`], { cwd: folder, env })
}

describe('the README of the client', () => {
  it('goes from a basic_token to a policy, a credit and a verified webhook in 25 lines', async () => {
    const [program = ''] = blocks('ts program')
    assert(program.split('\n').filter((line) => line !== '').length <= PROGRAM_LINES_MAX)
    const lines = (await runProgram('program', program)).trim().split('\n')
    assert.deepEqual(lines.length, 2)
    assert(lines.some((line) => /^pol_\w+ ₹500\.00$/.test(line)) && lines.includes('webhook wallet.balance_changed'))
  })

  it('lists what waits for an insurer, issues one and finds it by its number', async () => {
    const [, program = ''] = blocks('ts program')
    const [waiting, found, ...more] = (await runProgram('desk', program)).trim().split('\n')
    const [, id] = /^waiting (pol_\w+) \w+ \d{4}-\d{2}-\d{2}$/.exec(waiting ?? '') ?? []
    assert(id)
    assert.deepEqual([found, more], [`found ${id} ISSUED`, []])
  })

  it('has a tour of 15 snippets and more, which are one program', async () => {
    const snippets = blocks('ts')
    assert(snippets.length >= 15)
    const printed = await runProgram('tour', snippets.join('\n'))
    assert.match(await run(process.execPath, ['tour.js'], { cwd: folder, env }), /^COMPLETED$/m, 'and runs again')
    const expected = [
      /^covered$/m,
      /^still the same certificate$/m,
      /^somebody else was faster$/m,
      /^₹500\.00 300\.00$/m,
      /^not enough req_\w+$/m,
      /^pol_\w+ .*→ ISSUED$/m,
      /^200$/m,
      /^listBenefits 200 1 \d+$/m,
      /^COMPLETED$/m,
    ]
    for (const line of expected) assert.match(printed, line)
  })
})
