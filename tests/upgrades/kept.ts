import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

const FOLDER = import.meta.dirname

/** The keys that the database was filled with. They are for this database only. */
export type KeySettings = Record<'SIGNING_KEYS' | 'MASTER_KEYS' | 'HASH_KEY' | 'ADMIN_API_KEYS', string>

/** Ids by the names of the parameters in paths. */
export type Ids = Record<string, string>

export type Owner = { id: string; basicToken: string }
/** `identity` is what the platform sent when it first requested a token. */
export type Holder = { id: string; platformId: string; identity: object; tokens: WalletTokens | null }

/** Those of the last sign-in to the wallet, and the refresh token before the last one. */
export type WalletTokens = { access: string; refresh: string; former: string }

/** A POST with its key, and the response to it. */
export type Replay = { path: string; key: string; body: object; status: number; response: unknown }

/** What a client of the earlier version knows at the end. */
export type Scene = {
  madeAt: string
  /** The policies' calendar at the end. */
  calendar: string
  settings: KeySettings
  platforms: Owner[]
  providers: Owner[]
  revoked: Owner & { tokenUntilThen: string }
  users: Holder[]
  erased: string[]
  /** Every id, with those of the records around it. */
  ids: Ids[]
  replays: Replay[]
  /** Access tokens of each kind of caller, from the end. */
  accessTokens: Record<string, string>
  /** Of a user who has logged out of the wallet. */
  endedRefreshToken: string
  webhook: { id: string; secret: string } | null
  /** Cookies of the administrators' sessions, by role. */
  sessions: Record<string, string>
}

/**
 * A response that several callers got. `sha256` is that of a stored file; a document that the program generates has neither, because
 * its bytes follow the templates.
 */
export type Recorded = { path: string; callers: string[]; body?: unknown; sha256?: string }

export type Kept = { version: string; scene: Scene; responses: Recorded[]; sql: string; files: Record<string, Buffer> }

/** The versions of which a database is kept. */
export const keptVersions = (): string[] =>
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** Writes the folder of a version. */
export function keep({ version, scene, responses, sql, files }: Kept): void {
  const folder = join(FOLDER, version)
  mkdirSync(folder, { recursive: true })
  const uploads = Object.entries(files).map(([name, bytes]) => [name, bytes.toString('base64')])
  const compressed = { 'database.sql': sql, 'responses.json': json(responses) }
  for (const [name, text] of Object.entries(compressed))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text, { level: 9 }))
  writeFileSync(join(folder, 'uploads.json'), json(Object.fromEntries(uploads)))
  writeFileSync(join(folder, 'scene.json'), json(scene))
}

/** Returns the OpenAPI document of a marked version, byte for byte. */
export const releasedDocument = (version: string): string =>
  gunzipSync(readFileSync(join(FOLDER, version, 'openapi.json.gz'))).toString()

export function readKept(version: string): Kept {
  const bytesOf = (name: string) => readFileSync(join(FOLDER, version, name))
  const textOf = (name: string) => gunzipSync(bytesOf(`${name}.gz`)).toString()
  const uploads = JSON.parse(bytesOf('uploads.json').toString()) as Record<string, string>
  return {
    version,
    scene: JSON.parse(bytesOf('scene.json').toString()) as Scene,
    responses: JSON.parse(textOf('responses.json')) as Recorded[],
    sql: textOf('database.sql'),
    files: Object.fromEntries(Object.entries(uploads).map(([name, text]) => [name, Buffer.from(text, 'base64')])),
  }
}
