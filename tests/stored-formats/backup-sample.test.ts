import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readBackup } from '../../src/boot/backup/read-backup.ts'

/*
 * A backup of format 1. It is never changed: one that no longer opens is the last copy of somebody's data. A new
 * format gets a sample of its own, and this one stays.
 */

const PASSPHRASE = 'correct horse battery staple'
const SAMPLE = [
  'QkFOWUFOIEJBQ0tVUCAxCgoIAQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFAVqPdRE3TpV4QBsl31JT0IqEf7CZ2/+Up+LwmPqlfZ',
  'QQj8VSnQqMRL9Yh6QbAcRgUGUIxkExyChDyYXhQa11vhcaHJMVF3d+9KkPRBinGu139xy4hl6jRFmM4dPQSFke8KbTaWIsHRuTjx1+3nd78NfE',
  'BZBHK3/5CavTkRkEHp+CSUZ0P38KS2efu2MXBAjQDp9ZOnsnqA9k9hHw8ssJVaKDPOB5zscNKBnyGUyVa9M4yd7oP1EEOvezL50lPYAKy12k34',
  'vR2/5jyx4zpAYpSypVdshU3ID7AAvZWDAtq8ry9oFczcXsz1bBp7mRXSBRAwrfvz7YzKFec3q661JDsA5O9cc3jFMpmTRlfhDTVvFOkO8V4A4h',
  'pQWeH0sU0KqaCpzp7TIYKk6G2SNPGWjsL9q0KzAq5iFpuNLtYgCli41coHiIEYpgVMGJVzxtqH1T3b9IB40Aw/IrhAKt4B/ukE3+/iHDGXr2lw',
  'B+pBBNa0B7e6q7R2ZwtmUZgBOX3nCoOP2Ju38J1Tw/o5QSGFwoEVRou2XDoVIkuICt8nmeOWcyjmU7TOoqZ0nJ+mb6eN/E0lJk0Xyy5RhKUA49',
  'GRvLLm55aIPq6UZmI+dbY65RJGFtc2mlDd2bn+zx6YDdV6zynrQVqmNPzR0xphLGf17mVvOZcNJPu8za0rNt4YkwUBTxqHaolJ6doRmk13v6wA',
  '==',
].join('')

async function* bytes(edit: (file: Buffer) => Buffer = (file) => file) {
  yield edit(Buffer.from(SAMPLE, 'base64'))
}

describe('a backup of format 1', () => {
  it('is read, with its database, document and key', async () => {
    const taken: string[] = []
    const summary = await readBackup(PASSPHRASE, bytes(), async ({ name, isFolder, body }) => {
      const pieces: Uint8Array[] = []
      for await (const piece of body) pieces.push(piece)
      taken.push(`${name}${isFolder ? '/' : ''} ${Buffer.concat(pieces).toString().slice(0, 20)}`)
    })
    assert.deepEqual(taken, [
      'documents/policy_files/usr_1/fil_1.file a sealed document',
      'cluster/PG_VERSION 18\n',
      'cluster/backup_manifest {"Files":[{"Path":"P',
      'keys/hash-key a key',
      'cluster/pg_notify/ ',
    ])
    const { version, platform, made_at, files } = summary
    assert.deepEqual([version, platform, made_at], ['0.2.0', 'linux-x64', '2026-11-23T04:30:00.000Z'])
    assert.deepEqual(files, { database: 2, documents: 1, keys: 1 })
  })

  const wrongWith = async (message: RegExp, edit: (file: Buffer) => Buffer, passphrase = PASSPHRASE) =>
    assert.rejects(readBackup(passphrase, bytes(edit)), { name: 'StartError', message })

  it('is not opened with another passphrase, nor with another header', async () => {
    await wrongWith(/passphrase is wrong/, (file) => file, 'another passphrase')
    for (const at of [16, 17, 18, 19, 50])
      await wrongWith(/passphrase is wrong|no backup/, (file) => Buffer.from(file.with(at, (file[at] ?? 0) ^ 1)))
    await wrongWith(/no backup of Banyan/, (file) => Buffer.from(file.with(14, '2'.charCodeAt(0))))
    await wrongWith(/no backup of Banyan/, () => Buffer.from('PGDMP'))
  })

  it('is not taken for whole when a byte was changed or the end is missing', async () => {
    const length = Buffer.from(SAMPLE, 'base64').length
    for (const at of [60, 90, length - 1])
      await wrongWith(/wrong|damaged/, (file) => Buffer.from(file.with(at, (file[at] ?? 0) ^ 1)))
    for (const end of [length - 1, length - 20, 70]) await wrongWith(/wrong|damaged/, (file) => file.subarray(0, end))
  })
})
