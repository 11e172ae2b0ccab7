import { PassThrough } from 'node:stream'
import pg from 'pg'
import { StartError } from '../start-error.ts'

/**
 * A physical copy of a running server, as `pg_basebackup` makes it, which the npm package lacks: `BASE_BACKUP` of the replication
 * protocol sends one tar with everything that recovery needs, WAL included, and a manifest with a hash of each file.
 */
type BaseBackup = {
  tar: AsyncIterable<Buffer>
  /** Complete once the tar was read to its end. */
  manifest: () => string
  /** About as many bytes as the tar will have. */
  size: number
  close(): Promise<void>
}

const COMMAND = `BASE_BACKUP ( LABEL 'banyan', PROGRESS true, CHECKPOINT 'fast', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256' )`
const KIB = 1024
/** The first byte of each message of the copy. */
const MESSAGE = { archive: 0x6e, data: 0x64, manifest: 0x6d } as const

/** Begins a copy of the whole server at this URL, whose role must be allowed to replicate. */
export async function startBaseBackup(url: string): Promise<BaseBackup> {
  const settings: pg.ClientConfig & { replication: string } = { connectionString: url, replication: 'true' }
  const client = new pg.Client(settings)
  await client.connect()
  const query = createCopy()
  client.on('error', query.handleError)
  client.query(query)
  return { ...(await query.started), close: () => client.end().catch(() => {}) }
}

type Connection = { query(text: string): void; stream: { pause(): void; resume(): void } }

/** What the driver calls while it runs the command; it sends several results one after another. */
function createCopy() {
  const tar = new PassThrough({ highWaterMark: KIB * KIB })
  tar.on('error', () => {}) // its reader gets it too, if there is one yet
  const manifest: Buffer[] = []
  const starting = Promise.withResolvers<Pick<BaseBackup, 'tar' | 'manifest' | 'size'>>()
  let archives = 0
  let receiving: 'data' | 'manifest' = 'data'
  let size = 0
  let isPaused = false

  function begin(): void {
    archives += 1
    if (archives > 1) return fail(new StartError('The database has tablespaces, which a backup does not contain.'))
    starting.resolve({ tar, manifest: () => Buffer.concat(manifest).toString(), size })
  }

  function fail(error: Error): void {
    starting.reject(error)
    tar.destroy(error)
  }

  return {
    started: starting.promise,
    submit: (connection: Connection) => connection.query(COMMAND),
    handleRowDescription: () => {},
    handleDataRow: ({ fields }: { fields: (string | null)[] }) => {
      // The second result lists the tablespaces, with the size of each in KiB.
      if (fields.length === 3 && fields[0] === null) size = Number(fields[2]) * KIB
    },
    handleCommandComplete: () => {},
    handlePortalSuspended: () => {},
    handleEmptyQuery: () => {},
    handleReadyForQuery: () => tar.end(),
    handleError: fail,
    handleCopyData: ({ chunk }: { chunk: Buffer }, { stream }: Connection) => {
      const kind = chunk[0]
      if (kind === MESSAGE.archive) begin()
      if (kind === MESSAGE.manifest) receiving = 'manifest'
      if (kind !== MESSAGE.data) return
      const bytes = Buffer.from(chunk.subarray(1))
      if (receiving === 'manifest') manifest.push(bytes)
      else if (!tar.write(bytes) && !isPaused) {
        isPaused = true // messages that were received already still come
        stream.pause()
        tar.once('drain', () => {
          isPaused = false
          stream.resume()
        })
      }
    },
  }
}
