import { rowsOfAccess } from '../../../access/platform-access.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import { beginning, type By, type Change } from '../../../record/index.ts'
import { PLATFORM_MACHINE, subjectOf } from './states.ts'
import { INSERT_PLATFORM, type Platform } from './store.ts'

/** Decides a new ACTIVE platform. */
export function createPlatform(
  { name, defaultAccountType }: Pick<Platform, 'name' | 'defaultAccountType'>,
  by: By,
): Change<Platform> {
  const id = newId('plt')
  const platform: Platform = { id, name, status: 'ACTIVE', defaultAccountType, ...firstVersion(by.at) }
  return {
    result: platform,
    write: INSERT_PLATFORM,
    values: [id, name, platform.status, defaultAccountType, by.at],
    rows: rowsOfAccess({ platformId: id, isActive: true, epoch: platform.revision }),
    ...beginning(PLATFORM_MACHINE, subjectOf(platform)),
  }
}
