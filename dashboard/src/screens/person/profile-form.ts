import type { UpdateUserRequest, User } from '@banyan/client'
import type { Field } from '../../parts/problem-form.tsx'

export type Values = Readonly<Record<string, string>>

const UNCHANGED = { value: '', label: 'As it is' }
const LINES = ['line1', 'line2', 'city', 'state', 'pincode', 'country'] as const
const LINE_NAMES = {
  line1: 'Address, first line',
  line2: 'Second line',
  city: 'City',
  state: 'State',
  pincode: 'PIN code',
  country: 'Country',
}
const REMOVABLE = ['first_name', 'last_name', 'email', 'dob'] as const

/** The fields of a profile; an address in free text stays one. */
export const profileFields = ({ address }: User): readonly Field[] => [
  { pointer: '/first_name', label: 'Given name' },
  { pointer: '/last_name', label: 'Family name' },
  { pointer: '/email', label: 'Email' },
  { pointer: '/dob', label: 'Born', hint: 'Year, month, day: 1990-05-17' },
  { pointer: '/phone_country_code', label: 'Dial code' },
  { pointer: '/phone_number', label: 'Phone', hint: 'A new number ends the sessions of the old one' },
  {
    pointer: '/title',
    label: 'Form of address',
    choices: [UNCHANGED, ...choices({ MR: 'Mr', MRS: 'Mrs', MS: 'Ms', MASTER: 'Master' })],
  },
  {
    pointer: '/gender',
    label: 'Gender',
    choices: [UNCHANGED, ...choices({ FEMALE: 'Female', MALE: 'Male', OTHER: 'Other' })],
  },
  ...(typeof address === 'string'
    ? [{ pointer: '/address', label: 'Address', isLong: true }]
    : LINES.map((line) => ({ pointer: `/address/${line}`, label: LINE_NAMES[line] }))),
]

const choices = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

/** The form as it opens. */
export function valuesOf(user: User): Values {
  const { address } = user
  const lines =
    typeof address === 'string'
      ? { '/address': address }
      : Object.fromEntries(LINES.map((line) => [`/address/${line}`, address?.[line] ?? '']))
  return {
    ...Object.fromEntries(REMOVABLE.map((name) => [`/${name}`, user[name] ?? ''])),
    '/phone_country_code': user.phone_country_code,
    '/phone_number': user.phone_number,
    '/title': '',
    '/gender': '',
    ...lines,
  }
}

/**
 * Returns what was changed since the form opened, and nothing else, so that the changes of somebody else stay. Dial code and number
 * go together, an address as a whole.
 */
export function patchOf(before: Values, after: Values): UpdateUserRequest {
  const isChanged = (pointer: string) => before[pointer] !== after[pointer]
  const text = (pointer: string) => after[pointer]?.trim() ?? ''
  const removable = Object.fromEntries(
    REMOVABLE.filter((name) => isChanged(`/${name}`)).map((name) => [name, text(`/${name}`) || null]),
  )
  const hasNewPhone = isChanged('/phone_country_code') || isChanged('/phone_number')
  const hasNewLines = LINES.some((line) => isChanged(`/address/${line}`))
  return {
    ...removable,
    ...(hasNewPhone && { phone_country_code: text('/phone_country_code'), phone_number: text('/phone_number') }),
    ...(isChanged('/title') && { title: text('/title') as NonNullable<UpdateUserRequest['title']> }),
    ...(isChanged('/gender') && { gender: text('/gender') as NonNullable<UpdateUserRequest['gender']> }),
    ...(isChanged('/address') && { address: text('/address') || null }),
    ...(hasNewLines && { address: addressIn(text) }),
  }
}

function addressIn(text: (pointer: string) => string): UpdateUserRequest['address'] {
  const line = (name: (typeof LINES)[number]) => text(`/address/${name}`)
  if (LINES.every((name) => line(name) === '')) return null
  const second = line('line2')
  return {
    line1: line('line1'),
    ...(second !== '' && { line2: second }),
    city: line('city'),
    state: line('state'),
    country: line('country'),
    pincode: line('pincode'),
  }
}

/** What somebody else has changed meanwhile: the label of each field, and what stands there now. */
export function changesOf(before: User, now: User): { label: string; value: string }[] {
  const [old, current] = [valuesOf(before), valuesOf(now)]
  return profileFields(now)
    .filter(({ pointer }) => old[pointer] !== current[pointer])
    .map(({ pointer, label }) => ({ label, value: current[pointer] || 'removed' }))
}
