import { StartError } from '../start-error.ts'

/** One file or folder of an archive; `body` has exactly `size` bytes and must be read before the next entry. */
export type Entry = { name: string; size: number; isFolder: boolean; body: AsyncIterable<Buffer> }

const BLOCK = 512
const NAME_BYTES = 100
const PREFIX_BYTES = 155
const FOLDER_TYPE = '5'
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
/** Larger sizes are written in binary (GNU, star). */
const OCTAL_MAX = 0o77777777777

export const END_OF_TAR = Buffer.alloc(2 * BLOCK)

/** Returns the header of an entry (ustar). Times and owners are left out: equal content makes equal bytes. */
export function tarHeader({ name, size, isFolder }: Pick<Entry, 'name' | 'size' | 'isFolder'>): Buffer {
  const header = Buffer.alloc(BLOCK)
  const { prefix, rest } = splitName(isFolder ? `${name}/` : name)
  header.write(rest, 0, NAME_BYTES)
  header.write(octal(isFolder ? FOLDER_MODE : FILE_MODE, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  writeSize(header, size)
  header.write(octal(0, 11), 136)
  header.write(isFolder ? FOLDER_TYPE : '0', 156)
  header.write('ustar\x0000', 257, 'latin1')
  header.write(prefix, 345, PREFIX_BYTES)
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148, 'latin1')
  return header
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

function writeSize(header: Buffer, size: number): void {
  if (size <= OCTAL_MAX) header.write(octal(size, 11), 124)
  else {
    header[124] = 0x80
    header.writeUIntBE(size, 130, 6)
  }
}

/** The sum of all bytes, those of the checksum itself counted as blanks. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte
  return sum
}

function splitName(name: string): { prefix: string; rest: string } {
  if (Buffer.byteLength(name) <= NAME_BYTES) return { prefix: '', rest: name }
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)]
    if (rest !== '' && Buffer.byteLength(rest) <= NAME_BYTES && Buffer.byteLength(prefix) <= PREFIX_BYTES)
      return { prefix, rest }
  }
  throw new StartError(`The name of a file is too long for a backup: ${name.slice(0, 40)}….`)
}

/** Returns the zeros after a body of this size. */
export const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)

/** Reads an archive. Entries that are neither file nor folder are an error: none is ever written. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<Entry, void> {
  const bytes = createReader(source)
  for (;;) {
    const header = await bytes.exactly(BLOCK)
    if (header.every((byte) => byte === 0)) break
    const entry = parseHeader(header)
    let left = entry.size
    async function* body(): AsyncGenerator<Buffer, void> {
      while (left > 0) {
        const piece = await bytes.atMost(left)
        left -= piece.length
        yield piece
      }
    }
    yield { ...entry, body: body() }
    while (left > 0) left -= (await bytes.atMost(left)).length
    await bytes.exactly(padding(entry.size).length)
  }
  await bytes.drain()
}

function parseHeader(header: Buffer): Omit<Entry, 'body'> {
  const text = (from: number, length: number) =>
    (header.toString('utf8', from, from + length).split('\0', 1)[0] ?? '').trim()
  const number = (from: number, length: number) => Number.parseInt(text(from, length) || '0', 8)
  if (number(148, 8) !== checksumOf(header)) throw malformed()
  const type = text(156, 1)
  if (!['', '0', FOLDER_TYPE].includes(type)) throw malformed()
  const size = header[124] === 0x80 ? header.readUIntBE(130, 6) : number(124, 12)
  if (!Number.isSafeInteger(size) || size < 0) throw malformed()
  const [prefix, rest] = [text(345, PREFIX_BYTES), text(0, NAME_BYTES)]
  // PostgreSQL begins some names with the current folder.
  const name = (prefix === '' ? rest : `${prefix}/${rest}`).replace(/^\.\//, '').replace(/\/$/, '')
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..')) throw malformed()
  return { name, size, isFolder: type === FOLDER_TYPE }
}

const malformed = () => new StartError('The backup is malformed.')

/** Gives a stream out in the lengths that are asked for. */
function createReader(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  async function atMost(length: number): Promise<Buffer> {
    while (held.length === 0) {
      const { value, done } = await iterator.next()
      if (done) throw new StartError('The backup ends too early.')
      held = value
    }
    const piece = held.subarray(0, length)
    held = held.subarray(piece.length)
    return piece
  }

  return {
    atMost,
    async exactly(length: number): Promise<Buffer> {
      const pieces: Buffer[] = []
      for (let left = length; left > 0; ) {
        const piece = await atMost(left)
        pieces.push(piece)
        left -= piece.length
      }
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    },
    /** Reads to the end, where truncation shows. */
    async drain(): Promise<void> {
      while (!(await iterator.next()).done);
    },
  }
}
