import type { ImportKind } from '../../api/imports.ts'

/** What each kind of list is called here, and what it does. */
export const KINDS: Readonly<Record<ImportKind, { title: string; effect: string }>> = {
  users: { title: 'People', effect: 'A row for each dependant of a person.' },
  enrolments: { title: 'Enrolments', effect: 'Who gets which plan; the people are there already.' },
  members: { title: 'Joiners and leavers', effect: 'Which dependants join or leave an issued policy.' },
  ends: { title: 'Ends', effect: 'Which policies end, on which day and why.' },
}

export const KIND_NAMES = Object.keys(KINDS) as ImportKind[]

/** One that a newer service has is shown by its name. */
export const kindTitle = (kind: string): string => KINDS[kind as ImportKind]?.title ?? kind
