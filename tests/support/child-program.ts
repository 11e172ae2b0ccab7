import { existsSync, writeFileSync } from 'node:fs'
import { createChild } from '../../src/kernel/processes/child.ts'

/** A program for a supervisor, which starts as its second argument says; the third is a file to remember by. */
const [name = '', behaviour = '', memory = ''] = process.argv.slice(2)
const child = createChild(name)
const stayAlive = () => setInterval(() => {}, 60_000)
child.on({ metrics: async () => '', leave: () => process.exit(), orphaned: () => process.exit() })

if (behaviour === 'dies') process.exit(1)
const isFirst = !existsSync(memory)
if (isFirst) writeFileSync(memory, '')
stayAlive()
if (behaviour === 'starts' || (behaviour === 'hangs once' && !isFirst)) child.sendReady()
