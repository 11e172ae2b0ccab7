import { createSecretKey, type KeyObject, randomBytes, scrypt } from 'node:crypto'
import { sealStream, unsealStream } from '../crypto/sealed-stream.ts'
import { StartError } from '../start-error.ts'

/** Names the format and its version; the next version has another last digit. */
const MAGIC = Buffer.from('BANYAN BACKUP 1\n')
const SALT_BYTES = 32
const COST_BYTES = 3
const HEADER_BYTES = MAGIC.length + COST_BYTES + SALT_BYTES
const KEY_BYTES = 32

/** Costs of scrypt: 128 MiB and about half a second, for each guess too. Written into the file, so that they can grow. */
const COST = { log2n: 17, r: 8, p: 1 }
type Cost = typeof COST
/** What a file may state, which nothing vouches for until its key is known: 256 MiB, and no combination that scrypt refuses. */
const LOG2N_MIN = 10
const LOG2N_MAX = 18

/**
 * Encrypts a backup: a header with the costs and the salt of scrypt, then the sealed stream that uploads have too. The header is part of
 * what is authenticated.
 */
export async function* sealBackup(passphrase: string, plain: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const salt = randomBytes(SALT_BYTES)
  const header = Buffer.concat([MAGIC, Buffer.of(COST.log2n, COST.r, COST.p), salt])
  yield header
  yield* sealStream(await keyFrom(passphrase, COST, salt), sealedName(header), plain)
}

/** Decrypts a backup. Throws `StartError` for anything that is none, and for a wrong passphrase. */
export async function* unsealBackup(passphrase: string, sealed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const { header, rest } = await splitHeader(sealed)
  const [log2n = 0, r = 0, p = 0] = header.subarray(MAGIC.length)
  const salt = header.subarray(MAGIC.length + COST_BYTES)
  if (log2n < LOG2N_MIN || log2n > LOG2N_MAX || r !== COST.r || p !== COST.p)
    throw new StartError('The backup states costs for its passphrase that no backup has. It is not opened.')
  const key = await keyFrom(passphrase, { log2n, r, p }, salt)
  let isOpen = false
  try {
    for await (const chunk of unsealStream(key, sealedName(header), rest)) {
      isOpen = true
      yield chunk
    }
  } catch (error) {
    if (!isUnsealError(error)) throw error
    throw new StartError(
      isOpen
        ? 'The backup is damaged: a part of it was changed or is missing.'
        : 'The backup cannot be opened: the passphrase is wrong, or the file is damaged.',
    )
  }
}

const isUnsealError = (error: unknown): boolean =>
  error instanceof Error && (/authenticate/.test(error.message) || error.name === 'AssertionError')

const sealedName = (header: Buffer): string => `backup:${header.toString('base64url')}`

const noBackup = () => new StartError('The file is no backup of Banyan, or of a later version.')

async function splitHeader(sealed: AsyncIterable<Buffer>): Promise<{ header: Buffer; rest: AsyncIterable<Buffer> }> {
  const iterator = sealed[Symbol.asyncIterator]()
  let buffered: Buffer = Buffer.alloc(0)
  while (buffered.length < HEADER_BYTES) {
    const { value, done } = await iterator.next()
    if (done) throw noBackup()
    buffered = Buffer.concat([buffered, value])
  }
  const header = buffered.subarray(0, HEADER_BYTES)
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw noBackup()
  async function* rest(): AsyncGenerator<Buffer, void> {
    yield buffered.subarray(HEADER_BYTES)
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  return { header, rest: rest() }
}

function keyFrom(passphrase: string, { log2n, r, p }: Cost, salt: Buffer): Promise<KeyObject> {
  const N = 2 ** log2n
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error) reject(error)
      else resolve(createSecretKey(key))
    })
  })
}
