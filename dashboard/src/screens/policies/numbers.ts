import type { FoundInsurancePolicy } from '@banyan/client'
import { queryOptions } from '@tanstack/react-query'
import { banyan } from '../../api/banyan.ts'
import { runEach } from '../../parts/run-each.ts'

export const NUMBERS_MAX = 500
const FOUND_MAX = 10

/** Returns the policy numbers of a pasted column, each once. Of several columns the first one counts: a number can have a comma or blanks. */
export function numbersIn(pasted: string): string[] {
  const lines = pasted.split(/[\r\n]+/).map((line) => (line.split('\t')[0] ?? '').replaceAll(/^[\s"]+|[\s",;]+$/g, ''))
  return [...new Set(lines.filter((line) => line !== ''))]
}

type Missing = { number: string; why: string }

/** The policies with these numbers, in their order, and the numbers that no policy has. What is changed has it read again. */
export const numberedPoliciesQuery = (numbers: readonly string[]) =>
  queryOptions({
    queryKey: ['policies', 'numbers', numbers],
    queryFn: async ({ signal }) => {
      const found = new Map<string, readonly FoundInsurancePolicy[]>()
      const problems = new Map<string, string>()
      await runEach(numbers, {
        idOf: (number) => number,
        act: async (number) =>
          found.set(
            number,
            (await banyan.policies.search({ policy_number: number }, { limit: FOUND_MAX }, { signal })).data,
          ),
        report: ({ id, problem }) => problem !== undefined && problems.set(id, problem),
      })
      const isThere = ({ retained }: FoundInsurancePolicy) => retained === null
      const rows = numbers.flatMap((number) => found.get(number)?.filter(isThere) ?? [])
      const why = (number: string) =>
        problems.get(number) ?? (found.get(number)?.length ? 'The person was erased.' : 'No policy has this number.')
      const missing = numbers.flatMap((number): Missing[] =>
        found.get(number)?.some(isThere) ? [] : [{ number, why: why(number) }],
      )
      return { data: [...new Map(rows.map((row) => [row.id, row])).values()], next: null, missing }
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  })
