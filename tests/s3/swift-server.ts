import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { librariesIn, unpackPackages } from '../support/debian-packages.ts'

const PACKAGES = ['python3-swift', 'python3-lxml']
const START_MS_MAX = 30_000
const STOP_MS_MAX = 5_000

const PROGRAM = new URL('swift-server.py', import.meta.url).pathname

/** The server's URL and credentials. */
export type S3Access = {
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
}

export type S3Server = { access: S3Access; stop(): Promise<void> }

type Swift = ChildProcessByStdio<Writable, Readable, Readable>

/** Starts an S3 server that checks signatures: OpenStack Swift, the only one in Debian. */
export async function startSwift(): Promise<S3Server> {
  const region = 'ap-south-1'
  const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }
  const swift = launch(await unpackPackages(PACKAGES), [...Object.values(credentials), region])
  const ended = once(swift, 'close')
  // It ends when its standard input does, so also when this process is killed.
  const stop = async () => {
    swift.stdin.end()
    const late = sleep(STOP_MS_MAX, 'late', { ref: false })
    if ((await Promise.race([ended, late])) === 'late') swift.kill('SIGKILL')
    await ended
  }
  try {
    return { access: { endpoint: `http://127.0.0.1:${await portOf(swift)}`, region, credentials }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Creates a bucket, and returns its name. */
export async function newBucket(access: S3Access): Promise<string> {
  const bucket = `files-${randomBytes(6).toString('hex')}`
  const client = new S3Client({ ...access, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
  return bucket
}

function launch(root: string, args: string[]): Swift {
  // Debian's Python, whatever comes first in PATH: the packages are built for it.
  const unpacked = join(root, 'usr/bin/python3')
  const python = existsSync(unpacked) ? unpacked : '/usr/bin/python3'
  return spawn(python, ['-W', 'ignore', PROGRAM, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      TMPDIR: tmpdir(),
      PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'),
      LD_LIBRARY_PATH: librariesIn(root),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** The port, which is all that it prints once it responds. */
async function portOf(swift: Swift): Promise<number> {
  let errors = ''
  swift.stderr.on('data', (text: Buffer) => (errors += text.toString()))
  const first = await Promise.race([
    once(swift.stdout, 'data').then(([text]) => Number(text)),
    once(swift, 'close').then(() => `it ended: ${errors.trim().split('\n').at(-1)}`),
    sleep(START_MS_MAX, `nothing after ${START_MS_MAX / 1000} seconds`, { ref: false }),
  ])
  if (typeof first === 'string') throw new Error(`The S3 server for the tests did not start; ${first}`)
  return first
}
