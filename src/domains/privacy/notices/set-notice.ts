import { isDeepStrictEqual } from 'node:util'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { changed, created, type Decision, operation, unchanged } from '../../../record/index.ts'
import {
  type Notice,
  NoticeInput,
  type NoticeInput as Input,
  NoticePath,
  NoticeRecord,
  tags,
  versionOfNotice,
} from './records.ts'
import { changeNotice, findNotice, insertNotice, type NoticeKey, noticeKey } from './store.ts'

export const setNotice = operation('PUT /notices/:version/:language', {
  access: 'setNotice',
  tags,
  summary: 'Set a notice of the platform',
  description:
    'What the platform says to people before they consent: itemised, in one language. Returns 201 when it is new. Once a consent names it, it is ' +
    'evidence and cannot be changed: give the next one another version.',
  params: NoticePath,
  body: NoticeInput,
  versioned: true,
  response: { 200: NoticeRecord, 201: NoticeRecord },
  problems: ['conflict', 'precondition_failed'],
  serializeBy: ({ request, params }) => Object.values(noticeKey({ request, params })).join(':'),
  change: async (call, { at }) => {
    const key = noticeKey(call)
    const stored = await findNotice(call.deps.db, key)
    if (stored) checkFresh(call.request.headers['if-match'], () => versionOfNotice(stored))
    return decideNotice(stored, key, { input: call.body, at })
  },
  present: ({ notice, isNew }) =>
    isNew
      ? created(`/v1/notices/${notice.version}/${notice.language}`, versionOfNotice(notice))
      : changed(versionOfNotice(notice)),
})

/** Decides what a notice says. Pure. Throws 409 `in_use` for another text of one that a consent names. */
export function decideNotice(
  stored: Notice | undefined,
  key: NoticeKey,
  { input, at }: { input: Input; at: Date },
): Decision<{ notice: Notice; isNew: boolean }> {
  const content = {
    items: input.items.map(({ data, purpose, service }) => ({ data, purpose, service })),
    withdrawUrl: input.withdraw_url,
    rightsUrl: input.rights_url,
    complaintUrl: input.complaint_url,
    contact: input.contact,
    text: input.text,
  }
  if (!stored) {
    const change = insertNotice({ ...key, ...content, namedAt: null }, at)
    return { ...change, result: { notice: change.result, isNew: true } }
  }
  const { items, withdrawUrl, rightsUrl, complaintUrl, contact, text } = stored
  if (isDeepStrictEqual(content, { items, withdrawUrl, rightsUrl, complaintUrl, contact, text }))
    return unchanged({ notice: stored, isNew: false })
  if (stored.namedAt !== null) throw conflict(NAMED, { reason: 'in_use' })
  const change = changeNotice(stored, content, at)
  return { ...change, result: { notice: change.result, isNew: false } }
}

const NAMED = 'A consent names this notice, so it cannot be changed. Set the next one under another version.'
