import { Type } from 'typebox'
import { anyOf, cursorPageOf, pagingQuery } from '../../kernel/http/paging.ts'
import { Nullable, OneOf, Text } from '../../kernel/http/schemas.ts'
import { AUDIT_ACTIONS } from '../../record/index.ts'
import { UserPath } from '../users/index.ts'
import { ACTOR_KINDS } from './present.ts'

const At = Type.String({ format: 'date-time', description: 'When it was', examples: ['2026-11-21T09:30:00.123Z'] })
const PurposeText = Nullable(
  Type.String({ description: 'What for, as the caller said it', examples: ['Ticket 4711: the card did not arrive'] }),
)
const after = Type.Optional(
  Text({
    pattern: '^[0-9]{1,19}-aud_[0-9a-z]{26}$',
    words: 'Must be `next` of the page before.',
    description: 'Where to go on: `next` of the page before.',
    examples: ['7423-aud_06bnv3m2r8f1s4k7q9t3v6w0y2'],
  }),
)

const AuditEntry = Type.Object(
  {
    id: Type.String({ examples: ['aud_06bnv3m2r8f1s4k7q9t3v6w0y2'] }),
    at: At,
    actor: Type.String({ description: 'Who: the kind of caller, and which one', examples: ['viewer:command-line'] }),
    operation: Type.String({ description: 'Id of the operation, or name of the job', examples: ['readUser'] }),
    action: OneOf(AUDIT_ACTIONS, { description: 'What was done' }),
    subject: Nullable(Type.String({ description: 'Id of what it was done to', examples: ['012345678901'] })),
    user_id: Nullable(Type.String({ description: 'Whose data it was', examples: ['012345678901'] })),
    request_id: Type.String({
      description: 'The request, as the log names it',
      examples: ['req_06bnv3kq0r3cj8m3w0h2d8y6xg'],
    }),
    purpose: PurposeText,
  },
  { title: 'AuditEntry', description: 'Who read or changed what' },
)

export const AccessEntry = Type.Object(
  {
    at: At,
    actor: Type.Object(
      {
        kind: OneOf(ACTOR_KINDS, {
          description: 'What kind of caller',
        }),
        name: Type.String({ description: 'Who', examples: ['Acme Benefits'] }),
      },
      { title: 'AccessActor', description: 'Who looked or changed' },
    ),
    operation: Type.String({ description: 'What was done, in words', examples: ['Read a user'] }),
    purpose: PurposeText,
  },
  { title: 'AccessEntry', description: 'Who looked at or changed data of the person' },
)

export const listAuditLogSchema = {
  tags: ['Audit'],
  summary: 'List who read or changed what',
  description:
    'Every change, every look at sealed data of people, revocations and administrator tokens made on the command line; oldest first. Read on by sending `next` as `after`. With a filter a page can be short, or empty, and `has_more` true all the same.',
  querystring: Type.Object(
    {
      actor: Type.Optional(Text({ description: 'Only what this one did.', examples: ['viewer:command-line'] })),
      subject: Type.Optional(
        Text({ maxLength: 100, description: 'Only what was done to this: its id.', examples: ['012345678901'] }),
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
  summary: 'List who looked at or changed data of a person',
  description: 'Newest first. A look is listed a second after it was, at most. Read on by sending `next` as `after`.',
  params: UserPath,
  querystring: Type.Object({ limit: pagingQuery.limit, after }, { additionalProperties: false }),
  response: { 200: cursorPageOf(Type.Array(AccessEntry)) },
}
