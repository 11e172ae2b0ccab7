import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { createFolderStorage } from '../../../src/kernel/storage/folder-storage.ts'
import { createStorage } from '../../../src/kernel/storage/create-storage.ts'
import type { Storage } from '../../../src/kernel/storage/storage.ts'
import { describeStorage, inPieces, read } from '../../kernel/storage-contract.ts'

const MIB = 1024 * 1024
const HOUR_S = 60 * 60

const root = await mkdtemp(join(tmpdir(), 'banyan-folder-'))
after(() => rm(root, { recursive: true, force: true }))

const newFolder = () => join(root, randomBytes(8).toString('hex'), 'documents')

describeStorage('a folder', () => createStorage({ kind: 'folder', folder: newFolder() }))

/** Every file below a folder, as a relative path. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('the folder of a file storage', () => {
  let folder: string
  let storage: Storage
  before(async () => {
    folder = newFolder()
    storage = await createFolderStorage({ folder })
  })

  it('is closed to other accounts: folders are 0700, files 0600, whatever the umask', async () => {
    const umask = process.umask(0)
    try {
      const open = newFolder()
      await (await createFolderStorage({ folder: open })).put('a/b', inPieces(Buffer.from('x')))
      assert.deepEqual(await filesBelow(open), ['a/b.file'])
      for (const path of ['', '.unfinished', 'a']) assert.equal(await modeOf(join(open, path)), '700', path)
      assert.equal(await modeOf(join(open, 'a/b.file')), '600')
    } finally {
      process.umask(umask)
    }
  })

  it('keeps nothing of an aborted upload, and leaves the earlier file intact', async () => {
    await storage.put('a/b', inPieces(Buffer.from('earlier')))
    const files = await filesBelow(folder)
    const { ino, mtimeMs } = await stat(join(folder, 'a/b.file'))
    async function* broken() {
      yield* inPieces(randomBytes(MIB))
      assert.equal(
        (await filesBelow(folder)).length,
        files.length + 1,
        'it is being written, alongside the earlier one',
      )
      throw new Error('the sender went away')
    }
    await assert.rejects(storage.put('a/b', broken()), /the sender went away/)
    await assert.rejects(storage.put('c/d', broken()), /the sender went away/)
    assert.deepEqual(await filesBelow(folder), files)
    const now = await stat(join(folder, 'a/b.file'))
    assert.deepEqual([now.ino, now.mtimeMs], [ino, mtimeMs])
    assert.equal(String(await read(storage, 'a/b')), 'earlier')
  })

  it('keeps nothing of a removed file', async () => {
    await storage.put('gone', inPieces(Buffer.from('x')))
    await storage.delete('gone')
    assert(!(await filesBelow(folder)).includes('gone.file'))
  })

  it('is never left: a key that points outside is rejected, and files there stay', async () => {
    const outside = join(folder, '..', 'outside.file')
    await writeFile(outside, 'outside')
    for (const key of ['../outside', 'a/../../outside', join(folder, '..', 'outside')]) {
      await assert.rejects(storage.put(key, inPieces(Buffer.from('x'))), { name: 'AssertionError' })
      await assert.rejects(storage.get(key), { name: 'AssertionError' })
      await assert.rejects(storage.delete(key), { name: 'AssertionError' })
    }
    assert.deepEqual(await readdir(join(folder, '..')), ['documents', 'outside.file'])
  })
})

describe('a process killed while it replaces a file', () => {
  /** Writes a megabyte of the new file, reports that and stops there. */
  const WRITER = `
    import { createFolderStorage } from '${new URL('../../../src/kernel/storage/folder-storage.ts', import.meta.url).href}'
    const storage = await createFolderStorage({ folder: process.argv[1] })
    await storage.put('a/b', (async function* () {
      yield Buffer.alloc(1024 * 1024, 'new')
      process.stdout.write('written')
      await new Promise((resolve) => setInterval(resolve, 1e9))
    })())`

  async function killedWriter(folder: string): Promise<void> {
    const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, folder])
    const ended = once(writer, 'exit')
    assert.deepEqual((await once(writer.stdout, 'data')).map(String), ['written'])
    writer.kill('SIGKILL')
    assert.deepEqual(await ended, [null, 'SIGKILL'])
  }

  it('leaves the earlier file intact, and its temporary file is removed at an opening an hour later', async () => {
    const folder = newFolder()
    const storage = await createFolderStorage({ folder })
    const earlier = randomBytes(MIB)
    await storage.put('a/b', inPieces(earlier))
    await killedWriter(folder)
    assert(earlier.equals((await read(storage, 'a/b')) as Buffer))

    const abandoned = (await filesBelow(folder)).filter((path) => path !== 'a/b.file')
    assert.equal(abandoned.length, 1)
    const path = join(folder, abandoned[0] as string)
    await createFolderStorage({ folder })
    assert.equal((await stat(path)).size, MIB, 'another process could still be writing it')

    const before_s = Math.floor((await stat(path)).mtimeMs / 1000)
    await utimes(path, before_s, before_s - HOUR_S - 1)
    await createFolderStorage({ folder })
    assert.deepEqual(await filesBelow(folder), ['a/b.file'])
    assert(earlier.equals((await read(storage, 'a/b')) as Buffer))
  })
})

describe('a failing folder', () => {
  /** Asserts a 503 without file locations, neither for the caller nor for the log. */
  const unavailable = (folder: string) => (error: unknown) => {
    assert(error instanceof ProblemError)
    assert.equal(error.status, 503)
    const cause = error.cause as NodeJS.ErrnoException
    for (const text of [error.message, error.detail, cause.message])
      assert(!text.includes(folder) && !text.includes('pol_1'))
    assert.match(cause.message, /^\w+ failed with E[A-Z]+$/)
    return true
  }
  const KEY = 'pol_1/policy_certificate'

  it('503 when it is missing, as when a disk is not mounted; no file is "missing", nothing is stored elsewhere', async () => {
    const folder = newFolder()
    const storage = await createFolderStorage({ folder })
    await storage.put(KEY, inPieces(Buffer.from('x')))
    await rename(folder, `${folder}-elsewhere`)
    await assert.rejects(storage.get(KEY), unavailable(folder))
    await assert.rejects(storage.put(KEY, inPieces(Buffer.from('y'))), unavailable(folder))
    await assert.rejects(storage.delete(KEY), unavailable(folder))
    assert.deepEqual(await readdir(join(folder, '..')), ['documents-elsewhere'])
    await rename(`${folder}-elsewhere`, folder)
    assert.equal(String(await read(storage, KEY)), 'x')
  })

  it('503 when a file takes the place of a folder, and the temporary file is removed', async () => {
    const folder = newFolder()
    const storage = await createFolderStorage({ folder })
    await writeFile(join(folder, 'pol_1'), '')
    await assert.rejects(storage.put(KEY, inPieces(Buffer.from('x'))), unavailable(folder))
    await assert.rejects(storage.get(KEY), unavailable(folder))
    await assert.rejects(storage.delete(KEY), unavailable(folder))
    assert.deepEqual(await filesBelow(folder), ['pol_1'])
  })

  it('503 when reading fails midway', async () => {
    const folder = newFolder()
    const storage = await createFolderStorage({ folder })
    await storage.put(`${KEY}/x`, inPieces(Buffer.from('x')))
    await rename(join(folder, KEY), join(folder, `${KEY}.file`))
    const stream = await storage.get(KEY) // a folder opens like a file, and cannot be read
    await assert.rejects(
      async () => stream?.toArray(),
      (error) => error instanceof ProblemError && error.status === 503,
    )
  })
})
