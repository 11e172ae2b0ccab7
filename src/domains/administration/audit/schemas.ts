import { Type } from 'typebox'
import { UserIdText } from '../../user-id-text.ts'
import { anyOf, cursorPageOf, pagingQuery } from '../../../kernel/http/paging.ts'
import { Nullable, OneOf, Text, Timestamp } from '../../../kernel/http/schemas.ts'
import { AUDIT_ACTIONS } from '../../../record/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { ACTOR_KINDS } from './present.ts'

const At = Timestamp('Time of the entry')
const PurposeText = Nullable(
  Type.String({ description: 'Purpose stated by the caller', examples: ['Ticket 4711: the card did not arrive'] }),
)
const after = Type.Optional(
  Text({
    pattern: '^[0-9]{1,19}-aud_[0-9a-z]{26}$',
    words: 'Must be the `next` of a previous page.',
    description: 'Cursor: `next` of the previous page.',
    examples: ['7423-aud_06bnv3m2r8f1s4k7q9t3v6w0y2'],
  }),
)

const AuditEntry = Type.Object(
  {
    id: Type.String({ examples: ['aud_06bnv3m2r8f1s4k7q9t3v6w0y2'] }),
    at: At,
    actor: Type.String({ description: 'The caller: kind and id', examples: ['viewer:command-line'] }),
    operation: Type.String({ description: 'Operation id, or name of the job', examples: ['readUser'] }),
    action: OneOf(AUDIT_ACTIONS, { description: 'Kind of action' }),
    subject: Nullable(Type.String({ description: 'Id of the record concerned', examples: ['012345678901'] })),
    user_id: Nullable(UserIdText({ description: 'The user whose data was accessed', examples: ['012345678901'] })),
    request_id: Type.String({
      description: 'Id of the request, as in the log',
      examples: ['req_06bnv3kq0r3cj8m3w0h2d8y6xg'],
    }),
    purpose: PurposeText,
  },
  { title: 'AuditEntry', description: 'A record of who read or changed data' },
)

export const AccessActor = Type.Object(
  {
    kind: OneOf(ACTOR_KINDS, {
      description: 'Kind of caller',
    }),
    name: Type.String({ description: 'Name of the caller', examples: ['Acme Benefits'] }),
  },
  { title: 'AccessActor', description: 'The caller' },
)

export const AccessEntry = Type.Object(
  {
    at: At,
    actor: AccessActor,
    operation: Type.String({ description: 'What was done, in words', examples: ['Read a user'] }),
    purpose: PurposeText,
  },
  { title: 'AccessEntry', description: 'An access to the user’s data' },
)

export const listAuditLogSchema = {
  tags: ['Audit'],
  summary: 'List the audit log',
  description:
    'Changes, reads of sealed personal data, revocations, and administrator tokens made on the command line; oldest first. Send `next` as `after` to continue. With a filter, a page can be short or empty although `has_more` is true.',
  querystring: Type.Object(
    {
      actor: Type.Optional(Text({ description: 'Only entries of this caller.', examples: ['viewer:command-line'] })),
      subject: Type.Optional(
        Text({
          maxLength: 100,
          description: 'Only entries about the record with this id.',
          examples: ['012345678901'],
        }),
      ),
      action: anyOf(AUDIT_ACTIONS),
      limit: pagingQuery.limit,
      after,
    },
    { additionalProperties: false },
  ),
  response: { 200: cursorPageOf(Type.Array(AuditEntry)) },
}

export const listAccessLogSchema = {
  tags: ['Audit'],
  summary: 'List accesses to a user’s data',
  description: 'Newest first. A read is listed within a second. Send `next` as `after` to continue.',
  params: UserPath,
  querystring: Type.Object({ limit: pagingQuery.limit, after }, { additionalProperties: false }),
  response: { 200: cursorPageOf(Type.Array(AccessEntry)) },
}
