import { spawn } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { compiledCode } from '../../src/kernel/compiled-code.ts'
import { todayIn } from '../../src/kernel/clock.ts'
import { addDays } from '../../src/kernel/date.ts'
import type { TestApp } from '../support/app.ts'
import type { PolicyScene } from '../support/issued-policies.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const DAYS = 365

export const pemOf = (key: KeyObject) =>
  key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' }).toString()

export const linesOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

type Output = { code: number; out: string; err: string }

/** A node with a hold of a year, the holder of the private key, and the commands of the hold. */
export async function prepareHolds(t: TestApp) {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-hold-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const holder = generateKeyPairSync('rsa', { modulusLength: 3_072 })
  const erasure = { ...t.deps.erasure, holdDays: DAYS, holdKey: holder.publicKey }
  const node = await t.openNode({ erasure })

  async function banyan(words: string[], environment: Record<string, string> = {}, input = ''): Promise<Output> {
    const env = { ...compiledCode(), PATH: String(process.env['PATH']), DATA_DIR: folder, ...environment }
    const child = spawn(process.execPath, [MAIN, 'erasures', ...words], { env, cwd: folder, timeout: 60_000 })
    child.stdin.end(input)
    const ended = once(child, 'close')
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    const [code] = (await ended) as [number]
    return { code, out, err }
  }

  return {
    folder,
    holder,
    erasure,
    node,
    banyan,
    /** The last day of a hold that begins today. */
    until: () => addDays(todayIn(t.deps.clock), DAYS),
    erase: async ({ platform, user }: PolicyScene) =>
      (await node.call('DELETE', `/v1/users/${user.id}?end_policies=true`, { token: platform.token })).body,
    held: ({ user }: PolicyScene) => banyan(['held', user.id], { DATABASE_URL: t.appUrl }),
    /** As the holder does, with no database and no settings. */
    open: (input: string, key: string) => banyan(['open', '--key', key], {}, input),
    holdOf: async ({ user }: PolicyScene) =>
      (
        await t.sql<{ until: string }>('select held_until::text as until from erasure_holds where user_id = $1', [
          user.id,
        ])
      )[0]?.until,
  }
}
