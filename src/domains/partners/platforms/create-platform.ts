import { Type } from 'typebox'
import { LINKED_PLATFORM_ACCESS } from '../../../access/platform-access.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { Name, OneOf } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { type Change, initialTransition, created, operation } from '../../../record/index.ts'
import { type Platform, PlatformRecord, tags, versionOf } from './records.ts'
import { ACCOUNT_TYPES, PLATFORM_MACHINE, subjectOf } from './states.ts'
import { insert } from './store.ts'

export const createPlatform = operation('POST /platforms', {
  access: 'createPlatform',
  tags,
  summary: 'Create a platform',
  description: 'Registers a partner company. A new platform is ACTIVE; create a credential for it next.',
  body: Type.Object(
    { name: Name(), default_account_type: Type.Optional(OneOf(ACCOUNT_TYPES)) },
    { examples: [{ name: 'Acme Benefits', default_account_type: 'SAVINGS' }] },
  ),
  versioned: true,
  response: { 201: PlatformRecord },
  change: ({ body: { name, default_account_type: defaultAccountType = 'SAVINGS' } }, { at }) =>
    insertPlatform({ id: newId('plt'), name, defaultAccountType }, at),
  present: (platform, { request }) => created(createLocation(request, platform.id), versionOf(platform)),
})

type NewPlatform = Pick<Platform, 'id' | 'name' | 'defaultAccountType'>

export function insertPlatform(platform: NewPlatform, at: Date): Change<Platform> {
  const change = insert({ ...platform, status: 'ACTIVE' }, at)
  return {
    ...change,
    rows: LINKED_PLATFORM_ACCESS.rows([{ platform_id: platform.id, is_active: true, epoch: change.result.revision }]),
    ...initialTransition(PLATFORM_MACHINE, subjectOf(change.result)),
  }
}
