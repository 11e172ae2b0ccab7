import { revocationRows } from '../../../access/revocations.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { type Author, type Decision, unchanged } from '../../../record/index.ts'
import type { Session } from './records.ts'
import { END_ALL_SESSIONS, END_SESSION, findBySubject, findSessionOfCookie } from './store.ts'

/** Returns the change that ends a session; its access tokens stop working within a second. */
export const endSession = (sessionId: string, { at }: Author) => ({
  ...END_SESSION.with({ session_id: sessionId, at }),
  rows: revocationRows(`session:${sessionId}`),
})

/** Ends the session of a cookie; returns the session, undefined when there was none. */
export async function endSessionOfCookie(
  db: Queryable,
  secret: string | undefined,
  author: Author,
): Promise<Decision<Session | undefined>> {
  const session = await findSessionOfCookie(db, secret, author.at)
  return session ? { ...endSession(session.id, author), result: session } : unchanged(undefined)
}

/** Ends all sessions of a person at the identity provider, which has just said that there is no role for them here. */
export async function endSessions(
  { db, vault }: { db: Queryable; vault: Vault },
  hashes: readonly Buffer[],
  { at }: Author,
): Promise<Decision<undefined>> {
  const administrator = await findBySubject(db, vault, hashes)
  if (!administrator) return unchanged(undefined)
  return {
    ...END_ALL_SESSIONS.with({ administrator_id: administrator.id, revision: administrator.revision, at }),
    result: undefined,
  }
}
