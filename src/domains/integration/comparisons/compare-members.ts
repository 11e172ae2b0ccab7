import type { FileRow } from '../imports/file-row.ts'
import type { Difference, DifferenceKind } from './records.ts'

/** A person on a policy who is covered on the day, as stored. */
export type StoredMember = {
  id: string
  first_name: string | null
  last_name: string | null
  date_of_birth: string | null
  gender: string | null
  from: string
  to: string
}
export type StoredPolicy = {
  userId: string
  id: string
  externalPolicyId: string | null
  members: readonly StoredMember[]
}

/** A row of the file that can be read. */
type FileLine = { row: number; cells: FileRow['cells'] }
type Line = FileLine & { name: string }
type Member = StoredMember & { name: string }

/** How a name is compared: without regard to case, blanks and the ways in which Unicode spells a letter. */
const plain = (first: string | null | undefined, last: string | null | undefined) =>
  `${first ?? ''} ${last ?? ''}`.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

const nameOf = ({ first_name, last_name }: StoredMember | FileRow['cells']) => plain(first_name, last_name)

type Same = (line: Line, member: Member) => boolean
const isSameName: Same = (line, member) => line.name === member.name
const isSameBirth: Same = ({ cells }, member) => (cells['date_of_birth'] ?? null) === member.date_of_birth

/** How the rows of a policy find their people, the surest first: by id, by all that names a person, by half of it. */
const WAYS: readonly Same[] = [
  ({ cells }, { id }) => cells['id'] === id,
  (line, member) => isSameName(line, member) && isSameBirth(line, member),
  isSameName,
  isSameBirth,
]

/** The cells of a person that are compared; an empty one says nothing. */
const COMPARED = {
  gender: 'gender',
  from: 'first_day',
  to: 'last_day',
} as const satisfies Partial<Record<keyof StoredMember, DifferenceKind>>

type Of = Pick<Difference, 'userId' | 'policyId'>

/** Returns what differs between the rows of one policy and the people it covers. Pure. */
export function compareMembers(
  { userId, id: policyId, members }: StoredPolicy,
  fileLines: readonly FileLine[],
): Difference[] {
  const of = { userId, policyId }
  const lines: Line[] = fileLines.map((line) => ({ ...line, name: nameOf(line.cells) }))
  const left = new Set<Member>(members.map((member) => ({ ...member, name: nameOf(member) })))
  const pairs = new Map<Line, Member>()
  for (const isSame of WAYS) {
    for (const member of left) {
      const line = lines.find((one) => !pairs.has(one) && isSame(one, member))
      if (!line) continue
      pairs.set(line, member)
      left.delete(member)
    }
  }
  return [
    ...lines.flatMap((line) => {
      const member = pairs.get(line)
      return member ? differencesOf(line, member, of) : [missingHere(line.row, of)]
    }),
    ...[...left].map(({ id }) => ({ kind: 'missing_there' as const, row: null, column: null, ...of, personId: id })),
  ]
}

export const missingHere = (row: number, of: Of = { userId: null, policyId: null }): Difference => ({
  kind: 'missing_here',
  row,
  column: null,
  ...of,
  personId: null,
})

function differencesOf(line: Line, member: Member, of: Of): Difference[] {
  const { row, cells } = line
  const differs = (kind: DifferenceKind, column: string): Difference => ({
    kind,
    row,
    column,
    ...of,
    personId: member.id,
  })
  const columns = Object.keys(COMPARED) as (keyof typeof COMPARED)[]
  return [
    ...(isSameName(line, member) || line.name === '' ? [] : [differs('name', 'first_name')]),
    ...(isSameBirth(line, member) || !cells['date_of_birth'] ? [] : [differs('birth', 'date_of_birth')]),
    ...columns.flatMap((column) =>
      cells[column] === undefined || cells[column] === member[column] ? [] : [differs(COMPARED[column], column)],
    ),
  ]
}
