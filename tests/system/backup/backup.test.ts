import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Body } from '../../support/app.ts'
import { within } from '../../support/deadline.ts'
import { clientOf, newWorkspace, runCommand, startServer } from '../../support/server.ts'
import { smallPdf } from '../../support/small-pdf.ts'

const workspace = await newWorkspace()
const PASSPHRASE = 'a passphrase kept elsewhere'
const file = join(workspace.folder, 'backup.banyan')
const settings = { ...workspace.environment, BACKUP_PASSPHRASE: PASSPHRASE }
const inFolder = (name: string) => ({ ...settings, DATA_DIR: join(workspace.folder, name) })
after(() => workspace.remove())

let demo: Body
let made: { code: number | null; stdout: string; stderr: string }

/** What a family sees of itself, and of the certificate that its insurer uploaded. */
async function familyOf(token: string): Promise<unknown[]> {
  const send = clientOf(workspace.origin)
  const person = `/v1/users/${demo.user.user_id}`
  const documents = `${person}/insurance_policies/${demo.insurance_policy_ids.issued}/documents`
  const paths = [person, `${person}/dependants`, `${person}/accounts`, `${documents}/customer_information_sheet`]
  const replies = await Promise.all(paths.map((path) => send('GET', path, { token })))
  return replies.map(({ status, body, text }) => [status, body ?? text.length])
}

let seen: unknown[]

before(async () => {
  const server = await startServer(workspace)
  const { stdout } = await runCommand(['demo', '--json'], workspace.environment)
  demo = JSON.parse(stdout)
  const path = `/v1/users/${demo.user.user_id}/insurance_policies/${demo.insurance_policy_ids.issued}/documents/customer_information_sheet`
  const uploaded = await fetch(`${workspace.origin}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${demo.benefit_provider.access_token}`, 'content-type': 'application/pdf' },
    body: smallPdf('An uploaded sheet'),
  })
  assert(uploaded.ok, await uploaded.text())
  seen = await familyOf(demo.user.access_token)
  made = await runCommand(['backup', file, '--json'], settings)
  await server.kill()
})

describe('banyan backup', () => {
  it('alongside a running program, writes one file that was read again', () => {
    assert.deepEqual([made.code, made.stderr], [0, ''])
    const { bytes, files } = JSON.parse(made.stdout) as { bytes: number; files: Record<string, number> }
    assert(bytes > 1_000_000)
    assert((files['database'] ?? 0) > 900)
    assert.deepEqual([files['documents'], files['keys']], [1, 4])
    assert.deepEqual(
      readdirSync(workspace.folder).filter((name) => name.includes('partial')),
      [],
    )
  })

  it('has nothing readable in it', () => {
    const content = readFileSync(file, 'latin1')
    assert(content.startsWith('BANYAN BACKUP 1\n'))
    for (const word of ['banyan_owner', 'PG_VERSION', 'ustar', 'hash-key', demo.user.user_id, 'उदाहरण'])
      assert(!content.slice(16).includes(word), word)
  })

  it('exit 1 for a folder without a database, where it makes none', async () => {
    const nowhere = inFolder('nowhere')
    const { code, stdout, stderr } = await runCommand(['backup', `${file}-nowhere`], nowhere)
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(
      stderr,
      `There is no database in ${nowhere.DATA_DIR}. Set DATA_DIR to the data folder of the program.\n`,
    )
    assert(!existsSync(nowhere.DATA_DIR) && !existsSync(`${file}-nowhere`))
  })

  it('exit 1 rather than overwrite a file, and 2 without a passphrase or for a database of yours', async () => {
    const again = await runCommand(['backup', file], settings)
    assert.deepEqual([again.code, again.stdout], [1, ''])
    assert.match(again.stderr, /exists already/)
    const short = await runCommand(['backup', `${file}-2`], { ...settings, BACKUP_PASSPHRASE: 'short' })
    assert.deepEqual([short.code, short.stderr], [2, 'BACKUP_PASSPHRASE must be set, with at least 16 characters.\n'])
    const yours = await runCommand(['backup', `${file}-2`], { ...settings, DATABASE_URL: 'postgres://localhost/yours' })
    assert.equal(yours.code, 2)
    assert.match(yours.stderr, /^DATABASE_URL is set: back that database up with its own tools/)
  })
})

describe('banyan restore', () => {
  it('elsewhere, after the program was killed: everything is there, and the same tokens work', async () => {
    const elsewhere = inFolder('elsewhere')
    const restored = await runCommand(['restore', file], elsewhere)
    assert.deepEqual([restored.code, restored.stderr], [0, ''])
    assert.match(restored.stdout, /^Restored into .*: \d+ files of the database, 1 documents, 4 keys, as of 20/)
    const opened = await runCommand(['erasures', 'apply', '--nothing-since'], elsewhere)
    assert.deepEqual([opened.code, opened.stdout], [0, 'The restored database may be used again.\n'])
    const again = await runCommand(['erasures', 'apply', '--nothing-since'], elsewhere)
    assert.deepEqual([again.code, again.stdout], [0, ''])
    for (const check of [
      ['ledger', 'verify'],
      ['formats', 'verify'],
      ['keys', 'status'],
    ])
      assert.equal((await runCommand(check, elsewhere)).code, 0, check.join(' '))
    const server = await startServer(workspace, elsewhere)
    try {
      assert.deepEqual(await familyOf(demo.user.access_token), seen)
    } finally {
      await server.stop()
    }
  })

  it('exit 1 rather than overwrite a data folder, or with a wrong passphrase or a damaged file; nothing is left', async () => {
    const used = await runCommand(['restore', file], settings)
    assert.deepEqual([used.code, used.stdout], [1, ''])
    assert.match(used.stderr, /is not empty\. A restore overwrites nothing/)
    const wrong = await runCommand(['restore', file], {
      ...inFolder('wrong'),
      BACKUP_PASSPHRASE: 'some other passphrase',
    })
    assert.deepEqual([wrong.code, /passphrase is wrong/.test(wrong.stderr)], [1, true])
    const damaged = `${file}-damaged`
    const bytes = readFileSync(file)
    bytes[bytes.length - 100_000] = (bytes.at(-100_000) ?? 0) ^ 1
    writeFileSync(damaged, bytes)
    const broken = await runCommand(['restore', damaged], inFolder('damaged'))
    assert.deepEqual(
      [broken.code, broken.stderr],
      [1, 'The backup is damaged: a part of it was changed or is missing.\n'],
    )
    assert.deepEqual(
      readdirSync(workspace.folder).filter((name) => /^(wrong|damaged)/.test(name)),
      [],
    )
  })

  it('puts documents where DOCUMENT_FOLDER is, in the data folder or not', async () => {
    for (const folder of ['within/files/of-people', 'apart']) {
      const environment = { ...inFolder('within'), DOCUMENT_FOLDER: join(workspace.folder, folder) }
      const restored = await runCommand(['restore', file], environment)
      assert.deepEqual([restored.code, restored.stderr], [0, ''])
      const files = readdirSync(environment.DOCUMENT_FOLDER, { recursive: true }).filter((name) =>
        String(name).endsWith('.file'),
      )
      assert.equal(files.length, 1, folder)
      assert(!existsSync(join(environment.DATA_DIR, 'documents')))
      rmSync(environment.DATA_DIR, { recursive: true })
    }
  })

  it('that was killed is repeated', async () => {
    const environment = inFolder('killed')
    const child = spawn(process.execPath, ['src/main.ts', 'restore', file], { env: environment, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const partly = () => readdirSync(workspace.folder).find((name) => name.startsWith('killed.restore-'))
    await within(60_000, async () => partly() !== undefined)
    child.kill('SIGKILL')
    await ended
    assert(!existsSync(environment.DATA_DIR) && partly() !== undefined)
    const { code, stderr } = await runCommand(['restore', file], environment)
    assert.deepEqual([code, stderr], [0, ''])
    assert.equal(partly(), undefined)
    assert.equal((await runCommand(['ledger', 'verify'], environment)).code, 0)
  })
})
