import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createLog } from '../../../src/kernel/log.ts'
import { createSupervisor } from '../../../src/kernel/processes/supervisor.ts'
import { StartError } from '../../../src/kernel/start-error.ts'
import { within } from '../../support/deadline.ts'

const PROGRAM = fileURLToPath(new URL('../../support/child-program.ts', import.meta.url))
/** Long enough for such a small program on a busy machine. */
const START_TIMEOUT_MS = 10_000
const WITHIN_MS = 60_000

type Behaviour = 'starts' | 'dies' | 'hangs' | 'hangs once'

/** A supervisor of API processes that behave like this when they are started. */
async function supervising(behaviours: Record<string, Behaviour>) {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-supervised-'))
  const children = Object.entries(behaviours).map(([name, behaviour]) => ({
    name,
    args: [name, behaviour, join(folder, name)],
    isApi: true,
  }))
  const supervisor = createSupervisor({
    program: PROGRAM,
    environment: {},
    children,
    log: createLog('silent'),
    startTimeout_ms: START_TIMEOUT_MS,
  })
  after(async () => {
    await supervisor.stop()
    await rm(folder, { recursive: true })
  })
  const ready = async () => (await supervisor.metrics()).map(([name]) => name)
  return { ...supervisor, ready }
}

// Each waits for a start that takes too long; together they take no longer than the longest.
describe('processes that are started together', { concurrency: true }, () => {
  it('are all ready, and none is missing', async () => {
    const { start, ready } = await supervising({ first: 'starts', second: 'starts' })
    assert.deepEqual(await start(), [])
    assert.deepEqual(await ready(), ['first', 'second'])
  })

  it('are named when they are not ready: one that dies at its start, and one that hangs, which is killed and restarted', async () => {
    const { start, ready, restarts } = await supervising({
      first: 'starts',
      mortal: 'dies',
      slow: 'hangs once',
    })
    assert.deepEqual(await start(), ['mortal', 'slow'])
    await within(WITHIN_MS, async () => (await ready()).includes('slow'))
    assert.deepEqual(await ready(), ['first', 'slow'])
    assert(restarts() >= 2, 'both were tried again')
  })

  it('are not started when the first one never becomes ready: an error names it, and it is gone', async () => {
    const { start, ready, metrics } = await supervising({ first: 'hangs', second: 'starts' })
    await assert.rejects(start(), (error) => error instanceof StartError && /first/.test(error.message))
    assert.deepEqual([await ready(), await metrics()], [[], []])
  })
})
