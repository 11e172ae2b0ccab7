import { type SealedRows, sealedRows } from '../access/sealed-rows.ts'
import { ADMINISTRATOR_PROFILE, ID_TOKEN } from '../domains/administration/administrators/index.ts'
import { MESSAGE_TEXT } from '../domains/care/consultations/index.ts'
import { DEPENDANT_PROFILE } from '../domains/people/dependants/index.ts'
import { SNAPSHOT } from '../domains/cover/documents/index.ts'
import { DESCRIPTION } from '../domains/money/ledger/index.ts'
import { END_REASON, PRIVATE } from '../domains/cover/policies/index.ts'
import { SPONSOR_PROFILE } from '../domains/partners/sponsors/index.ts'
import { USER_PROFILE, USER_REFERENCE } from '../domains/people/users/index.ts'
import { IMPORTED_ROWS } from '../domains/integration/imports/index.ts'
import { ENDPOINT_TEXTS } from '../domains/integration/webhooks/index.ts'
import { CONSENT_PROOF } from '../domains/privacy/consents/index.ts'
import { REQUEST_TEXT } from '../domains/people/rights-requests/index.ts'
import { CATALOGUE_REASON, USER_REASON } from '../record/index.ts'

/** A user's record with an id of its own. */
const ofUser = <Name extends string>(id: Name) => ({
  owner: 'users' as const,
  key: ['user_id', id] as const,
  at: (row: Record<'user_id' | Name, string>) => ({ userId: row.user_id, id: row[id] }),
})

const ofEndpoint = {
  owner: 'webhook_endpoints',
  key: ['endpoint_id'],
  at: (row: { endpoint_id: string }) => ({ endpointId: row.endpoint_id }),
} as const

/**
 * Every column of sealed values except stored responses: their key is derived from an idempotency key, which is not stored,
 * and they live for a day. Each former format is alongside its column. docs/stored-formats.md lists everything else that is stored.
 */
export const SEALED_ROWS: readonly SealedRows[] = [
  sealedRows(USER_PROFILE, { owner: 'users', key: ['user_id'], at: ({ user_id: id }) => ({ id }) }),
  sealedRows(USER_REFERENCE, { owner: 'users', key: ['user_id'], at: ({ user_id: id }) => ({ id }) }),
  sealedRows(SPONSOR_PROFILE, { owner: 'sponsors', key: ['sponsor_id'], at: ({ sponsor_id: id }) => ({ id }) }),
  sealedRows(DEPENDANT_PROFILE, ofUser('dependant_id')),
  sealedRows(CONSENT_PROOF, ofUser('consent_id')),
  sealedRows(REQUEST_TEXT, ofUser('request_id')),
  sealedRows(PRIVATE, ofUser('policy_id')),
  sealedRows(DESCRIPTION, ofUser('transaction_id')),
  sealedRows(SNAPSHOT, {
    owner: 'users',
    key: ['user_id', 'policy_id', 'issue'],
    at: ({ user_id: userId, policy_id: id, issue }) => ({ userId, id, issue: Number(issue) }),
  }),
  sealedRows(END_REASON, {
    owner: 'users',
    key: ['user_id', 'policy_id', 'end_id'],
    at: ({ user_id: userId, policy_id: policyId, end_id: id }) => ({ userId, policyId, id }),
  }),
  sealedRows(MESSAGE_TEXT, {
    owner: 'users',
    key: ['user_id', 'consultation_id', 'message_id'],
    at: ({ user_id: userId, consultation_id: consultationId, message_id: messageId }) => ({
      userId,
      consultationId,
      messageId,
    }),
  }),
  sealedRows(USER_REASON, {
    owner: 'users',
    key: ['user_id', 'entity_id', 'change_id'],
    at: ({ user_id: userId, entity_id: entityId, change_id: changeId }) => ({ userId, entityId, changeId }),
    where: `t.entity_id not like 'wal\\_%'`, // the operator or the program gives the reasons of wallets
  }),
  sealedRows(CATALOGUE_REASON, {
    owner: 'sponsors',
    ownerId: 'entity_id',
    key: ['entity_id', 'change_id'],
    at: ({ entity_id: entityId, change_id: changeId }) => ({ entityId, changeId }),
  }),
  sealedRows(ADMINISTRATOR_PROFILE, {
    owner: 'administrators',
    key: ['administrator_id'],
    at: ({ administrator_id: id }) => ({ id }),
  }),
  sealedRows(ID_TOKEN, {
    owner: 'administrators',
    ownerId: 'administrator_id',
    key: ['session_id'],
    at: ({ session_id: id }) => ({ id }),
  }),
  sealedRows(IMPORTED_ROWS, {
    owner: 'imports',
    key: ['upload_id', 'chunk'],
    at: ({ upload_id: uploadId, chunk }) => ({ uploadId, chunk: Number(chunk) }),
  }),
  ...Object.values(ENDPOINT_TEXTS).map((text) => sealedRows(text, ofEndpoint)),
]
