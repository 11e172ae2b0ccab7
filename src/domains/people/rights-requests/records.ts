import { type Static, Type } from 'typebox'
import { decodeUserId } from '../../../access/user-id.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import { day, decoded, nullable, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { Nullable, PathId, record } from '../../../kernel/http/schemas.ts'
import { choice, entity, field, internal } from '../../../record/index.ts'
import { UserPath } from '../users/index.ts'
import { UserIdText } from '../../user-id-text.ts'
import { RIGHTS_KINDS, RIGHTS_STATES } from './states.ts'

export const DEPENDANT_CONCERNED = 'The dependant whose data it is about; `null`: the user'

/** The columns and the fields that are not sealed. */
export const RIGHTS_REQUESTS = entity(
  'rights_requests q',
  'StoredRightsRequest',
  {
    id: field(text('request_id'), Type.String(), 'rrq_06bnv3m2r8f1s4k7q9t3v6w0y2'),
    userId: field(decoded('user_id', decodeUserId), UserIdText(), '012345678901'),
    kind: choice('kind', RIGHTS_KINDS, 'CORRECTION', { description: 'The right that it exercises' }),
    dependantId: field(
      nullable(text('dependant_id')),
      Nullable(Type.String({ description: DEPENDANT_CONCERNED })),
      null,
    ),
    state: choice('state', RIGHTS_STATES, 'RECEIVED', { description: 'How far the platform has come' }),
    dueOn: field(
      day('due_on'),
      Type.String({ format: 'date', description: 'By when the platform responds, by the term that it has published' }),
      '2027-06-13',
    ),
    platformId: internal(text('platform_id')),
    textSealed: internal(text('text_sealed')),
    actor: internal(text('actor')),
  },
  { description: 'A request without what is sealed', key: ['userId', 'id'], madeAt: '2027-05-14T09:30:00' },
)
export type StoredRightsRequest = RecordOf<typeof RIGHTS_REQUESTS>
export type RightsRequest = StoredRightsRequest & { text: string; reason: string | null }
/** With the fields of its user that transitions need. */
export type OwnedRightsRequest = RightsRequest & { key: DataKey; status: StoredRightsRequest['state'] }

const sealed = {
  text: Type.String({ description: 'What the person asks for; kept encrypted' }),
  reason: Nullable(Type.String({ description: 'Given with its state; kept encrypted' })),
}

export const RightsRequestRecord = record(
  'RightsRequest',
  { ...RIGHTS_REQUESTS.schema.properties, ...sealed },
  {
    description: 'What a person asks of the platform by the law on personal data',
    examples: [
      {
        ...(RIGHTS_REQUESTS.schema as { examples?: object[] }).examples?.[0],
        text: 'My family name is misspelt on the card.',
        reason: null,
      },
    ],
  },
)

export const presentRightsRequest = (request: RightsRequest): Static<typeof RightsRequestRecord> => ({
  ...RIGHTS_REQUESTS.present(request),
  text: request.text,
  reason: request.reason,
})

export const versionOf = (request: RightsRequest) => ({
  record: presentRightsRequest(request),
  revision: request.revision,
})

export const RightsRequestPath = Type.Object({ ...UserPath.properties, request_id: PathId('The request') })

export const tags = ['Rights requests']
