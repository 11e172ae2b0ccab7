import assert from 'node:assert/strict'
import { createHash, createSecretKey, scryptSync } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { restoreBackup } from '../../../src/boot/backup/restore-backup.ts'
import { sealStream } from '../../../src/kernel/crypto/sealed-stream.ts'

const PASSPHRASE = 'correct horse battery staple'
const folder = mkdtempSync(join(tmpdir(), 'banyan-malformed-'))
after(() => rmSync(folder, { recursive: true }))

type Content = Record<string, string>

/** What somebody who knows the passphrase may have made: a backup of this archive. */
async function sealed(archive: Uint8Array): Promise<Buffer> {
  const header = Buffer.concat([Buffer.from('BANYAN BACKUP 1\n'), Buffer.of(10, 8, 1), Buffer.alloc(32, 7)])
  const key = createSecretKey(scryptSync(PASSPHRASE, Buffer.alloc(32, 7), 32, { N: 2 ** 10, r: 8, p: 1 }))
  async function* plain() {
    yield archive
  }
  return Buffer.concat([header, await buffer(sealStream(key, `backup:${header.toString('base64url')}`, plain()))])
}

const tarOf = (content: Content) =>
  packTar(Object.entries(content).map(([name, body]) => ({ header: { name, size: Buffer.byteLength(body) }, body })))

/** A backup with the fewest files that are one. */
function whole(): Content {
  const database = { 'cluster/PG_VERSION': '18\n', 'cluster/global/pg_control': 'a control file' }
  const Files = Object.entries(database).map(([path, body]) => ({
    Path: path.replace('cluster/', ''),
    Checksum: createHash('sha256').update(body).digest('hex'),
  }))
  const platform = `${process.platform}-${process.arch}`
  const about = { format: 1, version: '0.3.0', platform, made_at: '2026-11-23T04:30:00.000Z' }
  return {
    'banyan.json': JSON.stringify(about),
    ...database,
    'cluster/pg_wal/000000010000000000000001': 'WAL',
    'cluster/backup_manifest': JSON.stringify({ Files }),
    'documents/policy_files/usr_1/fil_1.file': 'a sealed document',
  }
}

let count = 0
/** Restores a file; returns the sentence with which that was refused, undefined when it was restored. */
async function restore(file: Buffer): Promise<string | undefined> {
  const path = join(folder, `file-${++count}`)
  const dataDir = join(folder, `data-${count}`)
  writeFileSync(path, file)
  const config = { dataDir, documents: join(dataDir, 'documents'), passphrase: PASSPHRASE }
  try {
    await restoreBackup(config, path, () => {})
    return undefined
  } catch (error) {
    assert(error instanceof Error)
    assert.equal(error.name, 'StartError', error.stack)
    assert(!existsSync(dataDir), 'nothing is restored')
    return error.message
  } finally {
    const left = readdirSync(folder).filter((name) => name.includes('.restore-'))
    assert.deepEqual(left, [], 'nothing is left alongside it')
  }
}

const restoreOf = async (content: Content) => restore(await sealed(gzipSync(await tarOf(content))))

const MALFORMED = 'The backup is malformed.'

describe('a backup that is restored', () => {
  it('is one with all that it must have', async () => {
    assert.equal(await restoreOf(whole()), undefined)
  })

  it('states only costs of its passphrase that a backup has; others are refused before they are spent', async () => {
    const file = await sealed(gzipSync(await tarOf(whole())))
    for (const costs of [
      [19, 8, 1],
      [22, 32, 16],
      [17, 9, 1],
      [17, 8, 2],
      [255, 255, 255],
      [1, 8, 1],
      [17, 1, 1],
      [0, 0, 0],
    ]) {
      const costly = Buffer.from(file)
      costly.set(costs, 16)
      assert.equal(
        await restore(costly),
        'The backup states costs for its passphrase that no backup has. It is not opened.',
        String(costs),
      )
    }
  })

  it('has no file of the database that the list of its server does not name', async () => {
    for (const name of ['standby.signal', 'pg_hba.conf', 'base/1/1259', 'pg_wal/run.sh', 'global/extra'])
      assert.equal(
        await restoreOf({ ...whole(), [`cluster/${name}`]: 'not listed' }),
        '1 files of the database are in the backup that its list does not name.',
        name,
      )
  })

  it('has every file of that list, and a whole database', async () => {
    const { 'cluster/PG_VERSION': _, ...less } = whole()
    assert.equal(await restoreOf(less), '1 files of the database are missing in the backup, or differ.')
    const changed = { ...whole(), 'cluster/PG_VERSION': '17\n' }
    assert.equal(await restoreOf(changed), '1 files of the database are missing in the backup, or differ.')
    const { 'cluster/PG_VERSION': _version, 'cluster/global/pg_control': _control, ...none } = whole()
    assert.equal(
      await restoreOf({ ...none, 'cluster/backup_manifest': '{"Files":[]}' }),
      'The backup has no whole database.',
    )
  })

  it('names itself and its files as a backup does, in the order of one', async () => {
    for (const broken of ['null', '[]', '{', '', '7', '{"format":"1"}', '{"format":1}'])
      assert.equal(await restoreOf({ ...whole(), 'banyan.json': broken }), MALFORMED, broken)
    for (const broken of ['null', '{', '{"Files":{}}', '{"Files":[null]}', '{"Files":[{"Path":1,"Checksum":""}]}'])
      assert.equal(await restoreOf({ ...whole(), 'cluster/backup_manifest': broken }), MALFORMED, broken)
    const { 'banyan.json': about = '', ...others } = whole()
    assert.equal(await restoreOf(others), MALFORMED)
    assert.equal(await restoreOf({ ...others, 'banyan.json': about }), MALFORMED)
    const later = about.replace('"format":1', '"format":2')
    assert.match((await restoreOf({ ...whole(), 'banyan.json': later })) ?? '', /^The backup was made by 0\.3\.0\. Use/)
  })

  it('has only files, each once, below its own folders', async () => {
    const content = whole()
    for (const name of ['other/file', '../outside', 'documents/../../outside', 'documents/./a', 'keys//a', 'documents'])
      assert.equal(await restoreOf({ ...content, [name]: 'x' }), MALFORMED, name)
    const tar = await tarOf(content)
    const twice = Buffer.concat([tar.subarray(0, -1_024), await tarOf({ 'documents/a': 'x', 'keys/a': 'y' })])
    assert.equal(await restore(await sealed(gzipSync(twice))), undefined, 'archives can be joined so')
    const same = Buffer.concat([tar.subarray(0, -1_024), await tarOf({ 'cluster/PG_VERSION': '18\n' })])
    assert.equal(await restore(await sealed(gzipSync(same))), MALFORMED)
    for (const type of ['symlink', 'link', 'character-device', 'fifo'] as const) {
      const link = await packTar([{ header: { name: 'documents/b', size: 0, type, linkname: '/etc/passwd' } }])
      assert.equal(
        await restore(await sealed(gzipSync(Buffer.concat([tar.subarray(0, -1_024), link])))),
        MALFORMED,
        type,
      )
    }
  })

  it('is a whole archive, compressed', async () => {
    const tar = Buffer.from(await tarOf(whole()))
    for (const broken of [tar, Buffer.alloc(0), Buffer.from('no archive'), gzipSync(tar).subarray(0, -20)])
      assert.equal(await restore(await sealed(broken)), MALFORMED)
    for (const end of [0, 100, 600, 1_030, tar.length - 1_024, tar.length - 512])
      assert.equal(await restore(await sealed(gzipSync(tar.subarray(0, end)))), MALFORMED, String(end))
    const flipped = Buffer.from(tar)
    flipped[3] = (flipped[3] as number) ^ 1
    assert.equal(await restore(await sealed(gzipSync(flipped))), MALFORMED)
  })
})
