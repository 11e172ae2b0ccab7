import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openLog } from '../../src/kernel/log.ts'

describe('several logs in a process', () => {
  it('share one stderr, so that opening more adds no listener to the process', () => {
    openLog('silent')
    const listeners = process.listenerCount('exit')
    for (let n = 0; n < 20; n++) openLog('silent')
    assert.equal(process.listenerCount('exit'), listeners)
  })
})
