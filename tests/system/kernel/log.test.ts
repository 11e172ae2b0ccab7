import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createLog } from '../../../src/kernel/log.ts'

describe('several logs in a process', () => {
  it('share one stderr, so that opening more adds no listener to the process', () => {
    createLog('silent')
    const listeners = process.listenerCount('exit')
    for (let n = 0; n < 20; n++) createLog('silent')
    assert.equal(process.listenerCount('exit'), listeners)
  })
})

/** Starts a program that opens a log, runs this code, and ends with 0 when its standard input ends. */
const startLogging = (code: string, stderr: 'pipe' | number) => {
  const opening = `import { createLog } from '${new URL('../../../src/kernel/log.ts', import.meta.url).href}'
    const log = createLog('info', { process: 'api-1' })
    ${code}
    process.stdout.write('done')
    process.stdin.resume().on('end', () => process.exit(0))`
  return spawn(process.execPath, ['--input-type=module', '-e', opening], { stdio: ['pipe', 'pipe', stderr] })
}

describe('a log that cannot be written', () => {
  it('as on a full disk, does not end the program, nor change its exit code', async () => {
    const unwritable = openSync(import.meta.filename, 'r')
    const program = startLogging(
      `for (let line = 0; line < 20; line++) {
        log.info('x'.repeat(4_000))
        await new Promise((resolve) => setImmediate(resolve))
      }`,
      unwritable,
    )
    closeSync(unwritable)
    const exited = once(program, 'exit')
    const printed = once(program.stdout ?? program, 'data')
    const first = await Promise.race([printed.then(String), exited.then(([code]) => `exit ${String(code)}`)])
    assert.equal(first, 'done')
    program.stdin?.end()
    assert.deepEqual(await exited, [0, null])
  })

  it('as a pipe that nobody reads, is held up to 16 MiB; later lines are lost, and counted once it is read again', async () => {
    const LINES = 25_000
    const program = startLogging(
      `for (let line = 0; line < ${LINES}; line++) {
        log.info({ line }, 'x'.repeat(1_000))
        if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      }`,
      'pipe',
    )
    const exited = once(program, 'exit')
    await once(program.stdout ?? program, 'data')
    const { stderr } = program
    assert(stderr)
    let seen = ''
    stderr.setEncoding('utf8').on('data', (chunk: string) => {
      seen = (seen + chunk).slice(-1_000)
      if (/"lines":\d+.*\n/.test(seen)) program.stdin?.end()
    })
    const lines = (await text(stderr))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.deepEqual(await exited, [0, null])
    const held = lines.flatMap(({ line }) => (typeof line === 'number' ? [line] : []))
    const lost = lines.filter(({ line }) => line === undefined)
    for (const { level, process: name, msg } of lost)
      assert.deepEqual([level, name, msg], ['warn', 'api-1', 'log lines were lost: they could not be written'])
    assert.equal(held.length + lost.reduce((sum, { lines: count }) => sum + Number(count), 0), LINES)
    assert.deepEqual(
      held,
      [...new Set(held)].toSorted((a, b) => a - b),
      'each once, in order',
    )
    assert(held.length > 10_000 && held.length < 18_000, `${held.length} lines were held`)
  })
})
