import { readNotice } from './read-notice.ts'
import { setNotice } from './set-notice.ts'

export const noticeOperations = [setNotice, readNotice]
