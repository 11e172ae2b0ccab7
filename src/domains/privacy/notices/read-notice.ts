import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { NoticePath, NoticeRecord, tags, versionOfNotice } from './records.ts'
import { noticeInPath } from './store.ts'

export const readNotice = operation('GET /notices/:version/:language', {
  access: 'readNotice',
  tags,
  summary: 'Read a notice of the platform',
  description: READ_AGAIN,
  params: NoticePath,
  versioned: true,
  response: { 200: NoticeRecord },
  problems: ['not_found'],
  target: noticeInPath,
  read: (call) => sendRecord(call, versionOfNotice(call.target)),
})
