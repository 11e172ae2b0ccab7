import { type Static, Type } from 'typebox'
import { json, nullable, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { Formed, Lines, Nullable, Text, Timestamp } from '../../../kernel/http/schemas.ts'
import { entity, field, internal } from '../../../record/index.ts'

const ITEMS_MAX = 50
const NOTICE_MAX = 10_000

const ITEM = {
  data: 'Name, date of birth, gender',
  purpose: 'To enrol you and your family in the group health insurance',
  service: 'Group health insurance of your employer',
}

/** What is processed, for what, and for which service: the items of rule 3. */
const NoticeItem = Type.Object(
  {
    data: Text({ description: 'Personal data that is processed' }),
    purpose: Text({ maxLength: 500, description: 'What it is processed for' }),
    service: Text({ maxLength: 500, description: 'The service or use that this makes possible' }),
  },
  { title: 'NoticeItem', description: 'An item of a notice', examples: [ITEM] },
)
export type NoticeItem = Static<typeof NoticeItem>

const Link = (description: string) =>
  Text({
    pattern: '^https://[^\\s]+$',
    words: 'Must be an https URL such as https://app.example.com/privacy.',
    description,
  })

const example = {
  items: [ITEM],
  withdrawUrl: 'https://app.example.com/privacy/withdraw',
  rightsUrl: 'https://app.example.com/privacy/rights',
  complaintUrl: 'https://app.example.com/privacy/complain',
  contact: 'Data protection officer, privacy@example.com',
  text: 'We process the data below for the purposes below. You can withdraw your consent at any time.',
}

const fields = {
  items: Type.Array(NoticeItem, { minItems: 1, maxItems: ITEMS_MAX, description: 'What is processed, and why' }),
  withdraw_url: Link('Where people withdraw a consent'),
  rights_url: Link('Where people exercise their rights'),
  complaint_url: Link('Where people complain to the Data Protection Board'),
  contact: Text({ maxLength: 500, description: 'Who responds to questions about personal data' }),
  text: Lines({ maxLength: NOTICE_MAX, description: 'The notice as people read it' }),
}

export const NoticeInput = Type.Object(fields, {
  description: 'A notice in one language',
  examples: [
    {
      items: example.items,
      withdraw_url: example.withdrawUrl,
      rights_url: example.rightsUrl,
      complaint_url: example.complaintUrl,
      contact: example.contact,
      text: example.text,
    },
  ],
})
export type NoticeInput = Static<typeof NoticeInput>

export const NoticeVersion = Formed({
  pattern: '^[A-Za-z0-9._-]{1,50}$',
  words: 'A version is 1 to 50 letters, digits, dots, hyphens and underscores, such as 2027-05.',
  description: 'Your version of the notice',
  examples: ['2027-05'],
})

export const NoticeLanguage = Formed({
  pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
  words: 'A language is a tag of BCP 47 such as en, hi or sat-Olck.',
  description: 'Language of the notice (BCP 47)',
  examples: ['en'],
})

export const NOTICES = entity(
  'consent_notices n',
  'ConsentNotice',
  {
    version: field(text('version'), Type.String({ description: 'Your version of the notice' }), '2027-05'),
    language: field(text('language'), Type.String({ description: 'Language of the notice (BCP 47)' }), 'en'),
    items: field(json<NoticeItem[], 'items'>('items'), fields.items, example.items),
    withdrawUrl: field(text('withdraw_url'), fields.withdraw_url, example.withdrawUrl),
    rightsUrl: field(text('rights_url'), fields.rights_url, example.rightsUrl),
    complaintUrl: field(text('complaint_url'), fields.complaint_url, example.complaintUrl),
    contact: field(text('contact'), fields.contact, example.contact),
    text: field(text('text'), fields.text, example.text),
    namedAt: field(
      nullable(time('named_at')),
      Nullable(Timestamp('Time when a consent first named it, which makes it unchangeable')),
      null,
    ),
    platformId: internal(text('platform_id')),
  },
  { description: 'What a platform says to people before they consent', key: ['platformId', 'version', 'language'] },
)
export type Notice = RecordOf<typeof NOTICES>
export const { schema: NoticeRecord, versionOf: versionOfNotice } = NOTICES

export const NoticePath = Type.Object({ version: NoticeVersion, language: NoticeLanguage })

export const tags = ['Consents']
