import { sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { ImportPath, ImportRecord, presentImport, tags } from './records.ts'
import { importInPath } from './store.ts'

export const readImport = operation('GET /imports/:import_id', {
  access: 'readImport',
  tags,
  summary: 'Read an import',
  description: 'How far it is, and what became of its rows. It is kept for 30 days after its last change.',
  params: ImportPath,
  versioned: true,
  response: { 200: ImportRecord },
  target: importInPath,
  read: (call) => sendRecord(call, { record: presentImport(call.target), revision: call.target.revision }),
})
