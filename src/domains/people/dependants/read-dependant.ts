import { sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { DependantPath, DependantRecord, tags, versionOf } from './records.ts'
import { dependantInPath } from './store.ts'

export const readDependant = operation('GET /users/:user_id/dependants/:dependant_id', {
  access: 'readDependant',
  tags,
  summary: 'Read a dependant',
  description: 'Superseded versions stay readable.',
  params: DependantPath,
  versioned: true,
  response: { 200: DependantRecord },
  target: dependantInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
