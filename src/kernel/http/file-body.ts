import { Type } from 'typebox'
import { payloadTooLarge } from '../problem-error.ts'
import { type BodyReader, checkCharset, countedBytes } from './body.ts'
import { readAhead } from './read-ahead.ts'

const MIB = 1024 * 1024
/** A usual file arrives as fast as it is sent, although it is read more slowly. */
const AHEAD_BYTES = 16 * MIB

/** A file as it arrives, and what its sender calls it. */
export type SentFile = { mediaType: string; bytes: AsyncIterable<Buffer> }

/** The schema of a body that is a text file: an example of each media type that it can have. */
export const FileBody = (examples: Readonly<Record<string, string>>) =>
  Type.Unsafe<SentFile>({
    content: Object.fromEntries(
      Object.entries(examples).map(([mediaType, example]) => [
        mediaType,
        { schema: { type: 'string', examples: [example] } },
      ]),
    ),
  })

/** Reads files of these types; the operation gets the bytes as a stream, and counts them again where their number is not announced. */
export const fileBody = (types: readonly string[], bytesMax: number): BodyReader => ({
  types,
  isStreamed: true,
  read: ({ raw, headers, countBody }, mediaType): SentFile => {
    checkCharset(headers['content-type'])
    if (Number(headers['content-length']) > bytesMax)
      throw payloadTooLarge(`The file is larger than ${bytesMax / MIB} MiB.`)
    return { mediaType, bytes: readAhead(countedBytes(raw, countBody), AHEAD_BYTES) }
  },
})
