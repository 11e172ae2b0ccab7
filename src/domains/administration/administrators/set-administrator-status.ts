import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { type By, type Decision, transition, unchanged } from '../../../record/index.ts'
import { ADMINISTRATOR_MACHINE, type AdministratorStatus } from './states.ts'
import { type Administrator, findAdministrator, SET_ADMINISTRATOR_STATUS } from './store.ts'

type StatusInput = { administratorId: string; status: AdministratorStatus; reason?: string | undefined }

/**
 * Disables or enables an administrator. Disabling ends all sessions, and access tokens within a second, on every node;
 * an enabled administrator must log in again. Throws 404, and 403 when administrators disable themselves, so that
 * somebody remains who can undo it.
 */
export async function setAdministratorStatus(
  { db, vault }: { db: Queryable; vault: Vault },
  { administratorId, status, reason }: StatusInput,
  by: By,
): Promise<Decision<Administrator>> {
  const administrator = await findAdministrator(db, vault, administratorId)
  if (administrator.status === status) return unchanged(administrator)
  const { caller } = by
  if ('subject' in caller && caller.subject === administratorId) throw oneself()
  const change = { to: status, who: caller.kind, reason }
  const { history, events } = transition(ADMINISTRATOR_MACHINE, administrator, change)
  return {
    result: { ...nextVersion(administrator, by.at), status },
    write: SET_ADMINISTRATOR_STATUS,
    values: [administratorId, administrator.revision, status, by.at],
    history,
    events,
  }
}

const oneself = () => new ProblemError('forbidden', 'You cannot disable yourself. Ask another owner.')
