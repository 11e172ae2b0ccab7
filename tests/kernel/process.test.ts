import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { isAlive } from '../../src/kernel/process.ts'
import { eventually } from '../support/server.ts'

describe('a process', () => {
  it('is not alive once it has ended, although its parent has not taken note', async () => {
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; wait'])
    try {
      const [printed] = (await once(parent.stdout, 'data')) as [Buffer]
      const pid = Number(printed)
      assert(isAlive(pid))
      parent.kill('SIGSTOP') // so that it cannot take note
      await eventually(
        async () => readFileSync(`/proc/${parent.pid}/stat`, 'utf8'),
        (stat) => / T /.test(stat),
      )
      process.kill(pid)
      await eventually(
        async () => isAlive(pid),
        (it) => !it,
      )
      assert.equal(process.kill(pid, 0), true, 'it still has its id')
    } finally {
      parent.kill('SIGKILL')
    }
  })
})
