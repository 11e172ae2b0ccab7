import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, beforeEach, describe, it, mock } from 'node:test'
import { type DocumentDefect, verifyDocuments } from '../../../../src/domains/cover/documents/index.ts'
import { compiledCode } from '../../../../src/kernel/compiled-code.ts'
import { unavailable } from '../../../../src/kernel/problem-error.ts'
import { StartError } from '../../../../src/kernel/start-error.ts'
import { openTestApp } from '../../../support/app.ts'
import { issueToFamily, type PolicyScene } from '../../../support/issued-policies.ts'
import { VAULT_KEYS } from '../../../support/keys.ts'
import { runCommand } from '../../../support/server.ts'
import { s3StorageAt } from '../../../kernel/s3-storage-at.ts'
import { pdfOfLength, smallPdf } from '../../../support/small-pdf.ts'
import { uploadScenes } from '../../../support/uploads.ts'

const t = await openTestApp({ own: true })
const { put, get, rowsOf, forgottenFiles } = uploadScenes(t)

const KIND = 'policy_certificate'
const PART = 64 * 1024

const logged: unknown[][] = []
mock.method(t.unreadableLog, 'error', (...line: unknown[]) => void logged.push(line))
beforeEach(() => void logged.splice(0))

const countOf = async () => Number(/^sealed_values_unreadable_total (\d+)$/m.exec(await t.metrics.page())?.[1])

/** A policy with an uploaded certificate, and where its file is. */
async function uploaded(pdf = smallPdf('Certificate of Asha Example')) {
  const at = await issueToFamily(t)
  assert.equal((await put(at, KIND, pdf)).status, 200)
  const [{ file_id } = { file_id: '' }] = await t.sql<{ file_id: string }>(
    'select file_id from policy_files where policy_id = $1 and replaced_at is null',
    [at.id],
  )
  return { at, pdf, fileId: file_id, object: `documents/${file_id}`, path: pathOf(`documents/${file_id}`) }
}

const pathOf = (object: string) => join(t.storageFolder, `${object}.file`)

async function flip(path: string, place: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[place] = (bytes[place] ?? 0) ^ 1
  await writeFile(path, bytes)
}

const LOSSES: Record<string, (path: string) => Promise<void>> = {
  'is missing': (path) => rm(path),
  'has a flipped bit in its head': (path) => flip(path, 0),
  'has a flipped bit in its first part': (path) => flip(path, 100),
  'is empty': (path) => writeFile(path, ''),
  'is cut off': async (path) => writeFile(path, (await readFile(path)).subarray(0, -1)),
  'has something behind its end': (path) => appendFile(path, '\n'),
  'is a page of HTML': (path) => writeFile(path, `<html>${' '.repeat(1_000)}Not found</html>`),
  'has the bytes of another document': async (path) => writeFile(path, await readFile((await uploaded()).path)),
}

describe('a document whose file is lost', () => {
  for (const [loss, lose] of Object.entries(LOSSES)) {
    it(`500 unreadable, counted and logged with its address, when the file ${loss}`, async () => {
      const { at, pdf, fileId, object, path } = await uploaded()
      const whole = await readFile(path)
      await lose(path)
      const before = await countOf()
      const { status, body, text, headers } = await get(at, KIND)
      assert.deepEqual([status, body.code], [500, 'unreadable'])
      assert(!text.includes(fileId) && !text.includes(t.storageFolder), 'its place is nothing for callers')
      assert.deepEqual([headers['content-disposition'], headers['etag']], [undefined, undefined])
      assert.equal(await countOf(), before + 1)
      const row = `policy_files:${at.user.id}:${fileId}`
      assert.deepEqual(logged, [
        [{ column: 'policy_files.file_id', row, policy_id: at.id, object }, 'a sealed value cannot be opened'],
      ])
      assert.equal((await get(at, 'health_card/self')).status, 200, 'the others of the policy are there')

      await writeFile(path, whole)
      assert.deepEqual((await get(at, KIND)).bytes, pdf, 'restored')
      assert.equal(await countOf(), before + 1)
    })
  }

  it('breaks off where the damage begins when that is later, and is counted and logged too', async () => {
    const { at, object, path } = await uploaded(pdfOfLength(3 * PART))
    await flip(path, 2 * PART)
    const before = await countOf()
    await assert.rejects(get(at, KIND))
    assert.equal(await countOf(), before + 1)
    assert.deepEqual(
      logged.map(([address]) => (address as { object: string }).object),
      [object],
    )
  })

  it('is a 503, and not counted, while the storage cannot be reached', async (test) => {
    const { at } = await uploaded()
    const before = await countOf()
    const breaking = new Readable({ read: () => breaking.destroy(unavailable(new Error('reset'))) })
    const failures = [() => Promise.reject(unavailable(new Error('no connection'))), async () => breaking]
    test.mock.method(t.deps.storage, 'get', () => failures.shift()?.())
    for (const what of ['no connection', 'one that breaks']) assert.equal((await get(at, KIND)).status, 503, what)
    assert.equal(await countOf(), before)
  })

  it('is a 404, and not counted, when the upload was removed while it was read', async (test) => {
    const { at } = await uploaded()
    const before = await countOf()
    test.mock.method(t.deps.storage, 'get', async () => {
      await t.sql('update policy_files set replaced_at = now() where policy_id = $1', [at.id])
      return undefined
    })
    assert.equal((await get(at, KIND)).status, 404)
    assert.equal(await countOf(), before)
  })

  it('can be replaced and removed', async () => {
    const { at, path } = await uploaded()
    await rm(path)
    assert.equal((await put(at, KIND, smallPdf('Again'))).status, 200)
    assert.deepEqual((await get(at, KIND)).bytes, smallPdf('Again'))
  })
})

describe('an upload to a storage that does not return what it has taken', () => {
  const LIES: Record<string, (object: string, path: string) => Promise<void>> = {
    'keeps nothing': (_, path) => rm(path),
    'keeps half': async (_, path) => writeFile(path, (await readFile(path)).subarray(0, 300)),
    'keeps other bytes': (_, path) => flip(path, 200),
  }
  for (const [lie, change] of Object.entries(LIES)) {
    it(`503 with Retry-After when it ${lie}: the document stays, and nothing is counted`, async (test) => {
      const { at, pdf } = await uploaded()
      const [before, untracked] = [await countOf(), await forgottenFiles()]
      const { put: store } = t.deps.storage
      test.mock.method(t.deps.storage, 'put', async (object: string, bytes: AsyncIterable<Uint8Array>) => {
        await store(object, bytes)
        await change(object, pathOf(object))
      })
      const { status, body, headers } = await put(at, KIND, smallPdf('New'))
      assert.deepEqual([status, body.code], [503, 'unavailable'])
      assert(Number(headers['retry-after']) > 0)
      assert.deepEqual((await get(at, KIND)).bytes, pdf)
      assert.equal((await rowsOf(at)).length, 1)
      assert.deepEqual(await forgottenFiles(), untracked)
      assert.equal(await countOf(), before)
    })
  }
})

/** Runs `documents verify`, and returns what it found of these policies. */
async function verify(scenes: { at: PolicyScene }[], storage = t.deps.storage) {
  const found: DocumentDefect[] = []
  const progress: [done: number, all: number][] = []
  const documents = await verifyDocuments(
    { db: t.deps.db, vault: t.deps.vault, storage },
    { onDefect: (one) => found.push(one), onProgress: (done, all) => progress.push([done, all]) },
  )
  const ids = scenes.map(({ at }) => at.id)
  return { documents, progress, found, own: found.filter(({ policy_id }) => ids.includes(policy_id)) }
}

describe('documents verify', () => {
  it('finds what is missing or damaged, and nothing else', async () => {
    const [whole, missing, first, last, replaced, removed] = await Promise.all([
      uploaded(),
      uploaded(),
      uploaded(),
      uploaded(pdfOfLength(3 * PART)),
      uploaded(),
      uploaded(),
    ])
    const scenes = [whole, missing, first, last, replaced, removed]
    assert.deepEqual((await verify(scenes)).own, [])

    await rm(missing.path)
    await flip(first.path, 100)
    await flip(last.path, 3 * PART)
    await put(replaced.at, KIND, smallPdf('Newer'))
    for (const { path } of [replaced, removed]) await rm(path)
    assert.equal((await t.call('DELETE', `${removed.at.documents}/${KIND}`, { token: t.owner })).status, 200)
    const { own, documents, progress } = await verify(scenes)
    const defectOf = ({ at, object }: typeof whole, defect: string) => ({ defect, object, policy_id: at.id })
    assert.deepEqual(
      new Set(own),
      new Set([defectOf(missing, 'missing'), defectOf(first, 'damaged'), defectOf(last, 'damaged')]),
    )
    assert(documents >= 5)
    assert.deepEqual(progress.at(-1), [documents, documents])
    assert.deepEqual(logged, [], 'it is listed, not logged')
  })

  it('names a document whose key is lost, and goes on', async () => {
    const [lost, whole] = [await uploaded(), await uploaded()]
    const [{ data_key } = { data_key: '' }] = await t.sql<{ data_key: string }>(
      'select data_key from users where user_id = $1',
      [lost.at.user.id],
    )
    const set = (key: string) => t.sql('update users set data_key = $1 where user_id = $2', [key, lost.at.user.id])
    await set(`m9.${Buffer.alloc(60, 1).toString('base64url')}`)
    const { own } = await verify([lost, whole])
    await set(data_key)
    assert.deepEqual(own, [{ defect: 'damaged', object: lost.object, policy_id: lost.at.id }])
  })

  it('reads at most eight at once; one that cannot be reached is named, a storage that is down ends it', async () => {
    const scenes = await Promise.all(Array.from({ length: 10 }, () => uploaded()))
    const [failing] = scenes.map(({ object }) => object)
    const waiting: (() => void)[] = []
    let most = 0
    const get = async (object: string) => {
      await new Promise<void>((resume) => {
        most = Math.max(most, waiting.push(resume))
        setTimeout(() => waiting.splice(0).forEach((one) => one()), 20) // all that run have begun by then
      })
      if (object === failing) throw unavailable(new Error('EACCES'))
      return t.deps.storage.get(object)
    }
    const { own } = await verify(scenes, { ...t.deps.storage, get })
    assert.deepEqual(own, [{ defect: 'unreached', object: failing, policy_id: scenes[0]?.at.id }])
    assert.equal(most, 8)

    await Promise.all(Array.from({ length: 20 }, () => uploaded()))
    const down = { ...t.deps.storage, get: () => Promise.reject(unavailable(new Error('connect ECONNREFUSED'))) }
    await assert.rejects(
      verify(scenes, down),
      (error) =>
        error instanceof StartError && error.message === 'The document storage cannot be read: connect ECONNREFUSED.',
    )
  })
})

describe('banyan documents verify', () => {
  const dataDir = mkdtemp(join(tmpdir(), 'banyan-documents-'))
  after(async () => rm(await dataDir, { recursive: true, force: true }))

  async function banyan(environment: Record<string, string>, ...words: string[]) {
    const own = { PATH: String(process.env['PATH']), DATA_DIR: await dataDir, DATABASE_URL: t.appUrl, ...VAULT_KEYS }
    const folder = { DOCUMENT_STORAGE: 'folder', DOCUMENT_FOLDER: t.storageFolder }
    return runCommand(['documents', 'verify', ...words], { ...compiledCode(), ...own, ...folder, ...environment })
  }

  it('lists what the folder lacks and exits with 1; with 0 once it is there again', async () => {
    await t.sql('update policy_files set replaced_at = now() where replaced_at is null')
    const [lost] = [await uploaded(), await uploaded()]
    const whole = await readFile(lost.path)
    await rm(lost.path)
    const wrong = await banyan({})
    assert.deepEqual(
      [wrong.code, wrong.stdout, wrong.stderr],
      [1, `missing: ${lost.object} of ${lost.at.id}\n2 documents, 1 missing or unreadable\n`, ''],
    )
    const json = await banyan({}, '--json')
    const defects = [{ defect: 'missing', object: lost.object, policy_id: lost.at.id }]
    assert.deepEqual([json.code, JSON.parse(json.stdout)], [1, { documents: 2, defects }])
    await writeFile(lost.path, whole)
    const right = await banyan({})
    assert.deepEqual([right.code, right.stdout], [0, '2 documents, 0 missing or unreadable\n'])
  })

  it('says what it does and its exit codes, exits with 2 for a wrong setting and 1 without a database', async () => {
    const help = await banyan({}, '--help')
    assert.equal(help.code, 0)
    for (const words of ['missing', 'damaged', 'unreached', 'Exit codes: 0']) assert(help.stdout.includes(words), words)
    assert.equal((await banyan({ DOCUMENT_STORAGE: 's3' })).code, 2)
    const { code, stdout } = await banyan({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing' })
    assert.deepEqual([code, stdout], [1, ''])
  })

  it('finds in a bucket what it finds in a folder', async () => {
    const [lost, damaged] = [await uploaded(), await uploaded(), await uploaded()]
    await rm(lost.path)
    await flip(damaged.path, 100)
    const server = createServer((request, response) => {
      const [, object = ''] = /^\/files\/([^?]+)/.exec(request.url ?? '') ?? []
      readFile(pathOf(object)).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end('<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>'),
      )
    }).listen(0, '127.0.0.1')
    after(() => server.close().closeAllConnections())
    await once(server, 'listening')
    const { own } = await verify([lost, damaged], await s3StorageAt((server.address() as AddressInfo).port))
    assert.deepEqual(
      new Set(own.map(({ defect, object }) => `${defect} ${object}`)),
      new Set([`missing ${lost.object}`, `damaged ${damaged.object}`]),
    )
  })
})
