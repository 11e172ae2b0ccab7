import { readdir } from 'node:fs/promises'
import type { TestApp } from './app.ts'
import type { PolicyScene } from './issued-policies.ts'

type Sending = { token?: string; type?: string; headers?: Record<string, string> }

/** A policy's documents as its provider uploads them, and their state in the storage and in the database. */
export function uploadScenes(t: TestApp) {
  const put = (at: PolicyScene, kind: string, body: Buffer | string, { token, type, headers }: Sending = {}) =>
    t.call('PUT', `${at.documents}/${kind}`, {
      token: token ?? at.provider.token,
      body,
      headers: { 'content-type': type ?? 'application/pdf', ...headers },
    })

  const get = (at: PolicyScene, kind: string, headers: Record<string, string> = {}) =>
    t.call('GET', `${at.documents}/${kind}`, { token: at.user.token, headers })

  const storedFiles = async () =>
    (await readdir(t.storageFolder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())

  /** Untracked files in the storage: neither current nor due for deletion, so they would never be deleted. */
  async function forgottenFiles(): Promise<string[]> {
    const known = await t.sql<{ file_id: string }>(
      'select file_id from policy_files where replaced_at is null union select file_id from files_to_delete',
    )
    const names = new Set(known.map(({ file_id }) => `${file_id}.file`))
    return (await storedFiles()).map(({ name }) => name).filter((name) => !names.has(name))
  }

  const rowsOf = ({ id }: PolicyScene) =>
    t.sql<{ document_type: string; issue: number; replaced_at: string | null; actor: string }>(
      'select document_type, issue, replaced_at, actor from policy_files where policy_id = $1 order by file_id',
      [id],
    )

  const eventsOf = ({ id }: PolicyScene) =>
    t.sql<{ type: string; platform_id: string; data: object }>(
      `select type, platform_id, data from events where type like 'document.%' and subject = $1 order by event_id`,
      [id],
    )

  return { put, get, storedFiles, forgottenFiles, rowsOf, eventsOf }
}
