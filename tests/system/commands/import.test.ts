import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { importFile, type ImportSettings } from '../../../sandbox/import-file.ts'
import { openTestApp } from '../../support/app.ts'
import { csv, importScenes } from '../../support/imports.ts'

const t = await openTestApp({ own: true })
const { work } = importScenes(t)
await t.app.listen({ host: '127.0.0.1', port: 0 })
after(() => t.app.close())
const { port } = t.app.server.address() as { port: number }
const folder = mkdtempSync(join(tmpdir(), 'banyan-import-'))

function fileOf(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Works as soon as the file is there, and while the command waits. */
async function imported(settings: Pick<ImportSettings, 'getToken' | 'file' | 'isCheck'> & { platformId?: string }) {
  const shown: [number, number][] = []
  const waiting = importFile({
    url: `http://127.0.0.1:${port}`,
    kind: 'users',
    platformId: undefined,
    ...settings,
    poll_ms: 5,
    onProgress: (done, all) => shown.push([done, all]),
  })
  const working = new AbortController()
  const stop = () => working.abort()
  void waiting.then(stop, stop)
  const { signal } = working
  while (!signal.aborted) {
    await work()
    await sleep(5, undefined, { signal }).catch(() => {})
  }
  return { ...(await waiting), shown }
}

const LIST = csv('phone_country_code,phone_number,dob', '+91,9820000001,1990-05-17', '+91,9820000002,12/03/2024')

describe('the command import', () => {
  it('checks, then imports, and returns each error by row and column', async () => {
    const platform = await t.platform()
    const getToken = () => Promise.resolve(platform.token)
    const file = fileOf('people.csv', LIST)
    const checked = await imported({ getToken, file, isCheck: true })
    assert.deepEqual(
      checked.errors.map(({ row, column, code }) => [row, column, code]),
      [[3, 'dob', 'format']],
    )
    assert.deepEqual([checked.import.checked, checked.import.done], [2, 0])
    const done = await imported({ getToken, file, isCheck: false })
    assert.deepEqual([done.import.state, done.import.done, done.import.rejected], ['DONE', 1, 1])
    assert.deepEqual(done.shown.at(-1), [3, 3], 'what is shown ends full')
    assert.notEqual(done.import.id, checked.import.id)
  })

  it('reads JSON Lines by the name of the file, for the platform that an operator names', async () => {
    const platform = await t.platform()
    const file = fileOf('people.jsonl', '{"phone_country_code":"+91","phone_number":"9820000011"}\n')
    const getToken = () => Promise.resolve(t.operator)
    const { import: done, errors } = await imported({ getToken, file, isCheck: false, platformId: platform.id })
    assert.deepEqual([done.platform_id, done.done, errors.length], [platform.id, 1, 0])
  })

  it('ends with the words of the API for a file that is rejected', async () => {
    const platform = await t.platform()
    const file = fileOf('semicolons.csv', LIST.replaceAll(',', ';'))
    const getToken = () => Promise.resolve(platform.token)
    await assert.rejects(imported({ getToken, file, isCheck: true }), { code: 'LISTEN', message: /semicolons/ })
  })
})
