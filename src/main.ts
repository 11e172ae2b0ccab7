#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

/** Not in the system's folder for temporary files, where others could put code for us to run. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url))

const NODE_MIN = { major: 24, minor: 7 }
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < NODE_MIN.major || (major === NODE_MIN.major && minor < NODE_MIN.minor)) {
  process.stderr.write(
    `Banyan needs Node ${NODE_MIN.major}.${NODE_MIN.minor} or newer; this is ${process.versions.node}.\n`,
  )
  process.exit(2)
}

// The old generation is collected when it has doubled; V8 would let it grow to four times its size.
setFlagsFromString('--heap-growing-percent=100')
// Before anything else is loaded: compiled code halves the CPU time of a start.
module.enableCompileCache(COMPILED)
const { runProgram } = await import('./commands/program.ts')
await runProgram(process.argv.slice(2))
