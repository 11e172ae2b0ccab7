import { createTarDecoder, createTarPacker, type ParsedTarEntry } from 'modern-tar'
import { StartError } from '../start-error.ts'

/** One file or folder of an archive; `body` has exactly `size` bytes and must be read before the next entry. */
export type Entry = { name: string; size: number; isFolder: boolean; body: AsyncIterable<Uint8Array> }

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
/** Times and owners are left out: equal content makes equal bytes. */
const TIME = new Date(0)

export const malformed = (): StartError => new StartError('The backup is malformed.')

/** Writes an archive (ustar). */
export async function* writeTar(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array, void> {
  const { readable, controller } = createTarPacker()
  const write = async () => {
    for await (const { name, size, isFolder, body } of entries) {
      const kind = isFolder ? ({ type: 'directory', mode: FOLDER_MODE } as const) : { mode: FILE_MODE }
      const writer = controller.add({ name, size, mtime: TIME, ...kind }).getWriter()
      for await (const piece of body) await writer.write(piece)
      await writer.close()
    }
    controller.finalize()
  }
  const written = write().catch((error: unknown) => controller.error(error))
  try {
    yield* readable
  } finally {
    await written // the source is closed then, too
  }
}

/** Reads an archive to its end. Entries that are neither file nor folder are an error: none is ever written. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<Entry, void> {
  let failure: unknown
  /** An error of the source is passed on; any other is of the archive. */
  async function* passed<T>(pieces: AsyncIterable<T>, isSource = false): AsyncGenerator<T, void> {
    try {
      yield* pieces
    } catch (error) {
      if (isSource) failure = error
      throw failure ?? malformed()
    }
  }
  const entries = ReadableStream.from(passed(source, true)).pipeThrough(createTarDecoder({ strict: true }))
  for await (const { header, body } of passed(entries)) {
    yield { ...checked(header), body: passed(body) }
    await body.cancel() // what was not read
  }
}

function checked({ name: written, size, type }: ParsedTarEntry['header']): Omit<Entry, 'body'> {
  // PostgreSQL begins some names with the current folder.
  const name = written.replace(/^\.\//, '').replace(/\/$/, '')
  const isOutside = name.includes('\0') || name.split('/').some((part) => part === '' || part === '.' || part === '..')
  const isOther = type !== 'file' && type !== 'directory'
  if (isOutside || isOther || !Number.isSafeInteger(size) || size < 0) throw malformed()
  return { name, size, isFolder: type === 'directory' }
}
