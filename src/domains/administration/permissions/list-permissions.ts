import { Type } from 'typebox'
import { ref } from '../../../kernel/http/schemas.ts'
import { type Deps, operationIn } from '../../../record/index.ts'
import { PermissionRecord, type Permissions } from './records.ts'

export const listPermissions = operationIn<Deps & { permissions: Permissions }>()('GET /meta/permissions', {
  access: 'listPermissions',
  tags: ['Permissions'],
  summary: 'List permissions',
  description:
    'Every operation with the kinds of callers that may call it, and whether each reaches records of its own only. Read from the table that guards the operations; a page draws it at [/docs/permissions](/docs/permissions).',
  response: { 200: Type.Object({ data: Type.Array(ref(PermissionRecord)) }) },
  read: ({ deps }) => ({ data: deps.permissions() }),
})
