import { firstVersion } from '../../kernel/db/version.ts'
import { newId } from '../../kernel/id.ts'
import { beginning, type By, type Change } from '../../record/index.ts'
import { PLATFORM_MACHINE, subjectOf } from './states.ts'
import { INSERT_PLATFORM, type Platform } from './store.ts'

/** Creates a platform. It starts ACTIVE, in its first epoch. */
export function createPlatform(
  { name, defaultAccountType }: Pick<Platform, 'name' | 'defaultAccountType'>,
  by: By,
): Change<Platform> {
  const id = newId('plt')
  const platform: Platform = { id, name, status: 'ACTIVE', defaultAccountType, epoch: 0, ...firstVersion(by.at) }
  return {
    result: platform,
    write: INSERT_PLATFORM,
    values: [id, name, platform.status, defaultAccountType, platform.epoch, by.at],
    ...beginning(PLATFORM_MACHINE, subjectOf(platform)),
  }
}
