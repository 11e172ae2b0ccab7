import { isDay } from '../../../kernel/date.ts'
import type { FileRow } from '../imports/file-row.ts'
import type { FileKind } from '../imports/kind.ts'
import type { Difference } from './records.ts'

const column = (meaning: string, example: string) => ({ meaning, example })
const day = (meaning: string, example: string) => ({ meaning, example, looks: 'day' as const })

/** The columns are those of the member file, so that it can be sent back as it is. What is not compared is taken, too. */
export const MEMBER_COLUMNS: FileKind['columns'] = {
  insurance_policy_id: column('the policy', 'pol_06bnv3m2r8f1s4k7q9t3v6w0y2'),
  external_policy_id: column('or the number of the benefit provider', 'SG-2026-000123'),
  id: column('the person, where it is known', 'dep_06bnv3m2r8f1s4k7q9t3v6w0y2'),
  first_name: { ...column('first name', 'Ravi'), isRequired: true },
  last_name: { ...column('last name', 'Example'), isRequired: true },
  date_of_birth: { ...day('date of birth', '2015-08-02'), isRequired: true },
  gender: column('`MALE`, `FEMALE` or `OTHER`', 'MALE'),
  from: day('first covered day', '2026-04-01'),
  to: day('last covered day', '2027-03-31'),
  user_id: column('not compared', '012345678901'),
  plan_code: column('not compared', 'FAMILY_5L'),
  person: column('not compared', 'dependant'),
  relation: column('not compared', 'CHILD'),
  in_grace: column('not compared', 'false'),
}

const DAYS = Object.keys(MEMBER_COLUMNS).filter((name) => MEMBER_COLUMNS[name]?.looks === 'day')

export const policyIn = ({ insurance_policy_id: id, external_policy_id: number }: FileRow['cells']): string =>
  id ?? number ?? ''

/** Two rows of the same person on a policy are doubled. */
export const MEMBER_KIND: FileKind = {
  columns: MEMBER_COLUMNS,
  oneOf: [['insurance_policy_id'], ['external_policy_id']],
  identity: (cells) =>
    JSON.stringify([policyIn(cells), cells['id'] ?? [cells['first_name'], cells['last_name'], cells['date_of_birth']]]),
}

/** The readable rows of a file by the policy that they name, and what is wrong with the others. */
export async function readLines(rows: AsyncIterable<FileRow>) {
  const byPolicy = new Map<string, FileRow[]>()
  const differences: Difference[] = []
  let rowCount = 0
  for await (const row of rows) {
    rowCount++
    const wrong = findWrong(row)
    if (wrong) {
      differences.push(wrong)
      continue
    }
    const policy = policyIn(row.cells)
    const others = byPolicy.get(policy)
    if (others) others.push(row)
    else byPolicy.set(policy, [row])
  }
  return { byPolicy, differences, rowCount }
}

function findWrong({ number, cells, rowErrors }: FileRow): Difference | undefined {
  const of = { row: number, userId: null, policyId: null, personId: null }
  if (rowErrors?.some(({ code }) => code === 'duplicate')) return { kind: 'doubled', column: null, ...of }
  if (rowErrors || policyIn(cells) === '') return { kind: 'unreadable', column: null, ...of }
  const column = DAYS.find((name) => cells[name] !== undefined && !isDay(cells[name]))
  return column === undefined ? undefined : { kind: 'unreadable', column, ...of }
}
