import { newSessionSecret, SESSION_SECONDS, sessionCaller } from '../../../access/administrator-sessions.ts'
import { ADMINISTRATORS, type Caller, type PersonRole } from '../../../access/caller.ts'
import { underEachKey, type Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { newId } from '../../../kernel/id.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { initialTransition, type Author, type Change } from '../../../record/index.ts'
import type { Identity } from './identity-provider.ts'
import { nameIn } from './name-in.ts'
import { PROFILE } from './records.ts'
import { ADMINISTRATOR_MACHINE } from './states.ts'
import { findBySubject, type FoundRole, INSERT_ADMINISTRATOR, LOG_IN_ADMINISTRATOR, toSessionRows } from './store.ts'

type Login = { issuer: string; identity: Identity } & FoundRole

/**
 * Begins a session for a person identified by the provider, creating the administrator at the first login. Returns the
 * secret of the cookie and whose it is. The administrator's sessions with a higher role end. Throws 403 when the
 * administrator is disabled.
 */
export async function beginSession(
  { db, vault }: { db: Queryable; vault: Vault },
  { issuer, identity, role, ownerId, epoch }: Login,
  author: Author,
): Promise<Change<{ secret: string; caller: Caller }>> {
  const hashes = subjectHashes(vault, { issuer, identity })
  const [hash] = hashes
  const administrator = await findBySubject(db, vault, hashes)
  if (administrator?.status === 'DISABLED') throw disabled(administrator.id)
  const { secret, hash: secretHash } = newSessionSecret()
  const name = nameIn(identity.claims)
  const { idToken } = identity
  const endsAt = new Date(author.at.getTime() + SESSION_SECONDS * 1000)
  const session = { id: newId('ads'), idToken, at: author.at, endsAt, role, ownerId, epoch, secretHash }
  const callerWith = (administratorId: string) => sessionCaller({ ...session, administratorId })
  if (administrator) {
    const sealed = PROFILE.seal(administrator.key, administrator, { name })
    return {
      result: { secret, caller: callerWith(administrator.id) },
      ...LOG_IN_ADMINISTRATOR.with({
        administrator_id: administrator.id,
        revision: administrator.revision,
        sealed,
        role,
        owner_id: ownerId,
        at: author.at,
        subject_hash: hash,
        hash_key: vault.hashKey,
        roles_above: rolesAbove(role),
      }),
      rows: toSessionRows(administrator, session),
    }
  }
  const id = newId('adm')
  const { wrapped, key } = vault.newDataKey()
  const subject = { id, key, userId: null, platformId: null, status: 'ACTIVE' as const }
  const { history, events } = initialTransition(ADMINISTRATOR_MACHINE, subject)
  return {
    result: { secret, caller: callerWith(id) },
    ...INSERT_ADMINISTRATOR.with({
      administrator_id: id,
      subject_hash: hash,
      data_key: wrapped,
      sealed: PROFILE.seal(key, { id }, { name }),
      role,
      owner_id: ownerId,
      status: subject.status,
      at: author.at,
      hash_key: vault.hashKey,
    }),
    rows: toSessionRows(subject, session),
    history: history.map((change) => ({ ...change, author: callerWith(id) })),
    events,
  }
}

/** The hashes of a person at the provider, with the present key first. */
export const subjectHashes = (vault: Vault, { issuer, identity }: Pick<Login, 'issuer' | 'identity'>) => {
  const text = JSON.stringify([issuer, identity.subject])
  return underEachKey(vault, (hasher) => hasher.blindIndex('administrator_subject', text))
}

/** People of a partner have none of the administrators' rights. */
const rolesAbove = (role: PersonRole) => ADMINISTRATORS.slice(ADMINISTRATORS.findIndex((one) => one === role) + 1)

const disabled = (id: string) =>
  new ProblemError('forbidden', 'Your account here is disabled. Ask an owner to enable it.', { credentialId: id })
