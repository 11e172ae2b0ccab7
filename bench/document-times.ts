import type { DocumentClient } from './document-client.ts'
import type { Download } from './get.ts'
import type { Documents } from './issue-policies.ts'
import { median, quantile, table, target } from './report.ts'

const REQUESTS_PER_ROUND = 50
const ROUNDS_OF_CERTIFICATES = 10
const MS_MAX = 12

type Fetch = (policy: Documents) => Promise<Download>

/** Returns the milliseconds of warm certificates, one at a time. */
export async function certificateTimes({ policies, get }: DocumentClient): Promise<number[]> {
  const took: number[] = []
  for (let round = 0; round <= ROUNDS_OF_CERTIFICATES; round++) {
    for (const { policy_certificate } of policies) {
      const from = performance.now()
      await get(policy_certificate)
      if (round > 0) took.push(performance.now() - from)
    }
  }
  return took
}

/** Measures the time from the request to the last byte of the response, for each kind of document. */
export async function measureDocumentTimes(client: DocumentClient, rounds: number): Promise<string> {
  const { policies } = client
  const kinds: Record<string, Fetch> = {
    certificate: ({ policy_certificate }) => client.get(policy_certificate),
    'information sheet': ({ customer_information_sheet }) => client.get(customer_information_sheet),
    'enrolment form': ({ enrollment_form }) => client.get(enrollment_form),
    'health card': ({ health_cards }) => client.get(health_cards.self),
    'certificate, 304': client.getUnchanged,
  }
  const took = new Map(Object.keys(kinds).map((name) => [name, { ms: [] as number[], bytes: [] as number[] }]))
  for (const fetchOne of Object.values(kinds)) for (const policy of policies) await fetchOne(policy)

  for (let round = 0; round < rounds; round++) {
    for (const [name, fetchOne] of Object.entries(kinds)) {
      for (let position = 0; position < REQUESTS_PER_ROUND; position++) {
        const from = performance.now()
        const { bytes } = await fetchOne(policies[position % policies.length] as Documents)
        took.get(name)?.ms.push(performance.now() - from)
        took.get(name)?.bytes.push(bytes)
      }
    }
  }

  const ms = (value: number) => `${value.toFixed(1)} ms`
  const lines = [...took].map(([name, one]) => [
    name,
    `${(median(one.bytes) / 1_000).toFixed(0)} kB`,
    ms(quantile(one.ms, 0.5)),
    ms(quantile(one.ms, 0.99)),
  ])
  const p50 = quantile(took.get('certificate')?.ms ?? [], 0.5)
  return [
    table(['document', 'size', 'p50', 'p99'], lines),
    `a warm certificate, ${target(`p50 under ${MS_MAX} ms`, p50 < MS_MAX)}`,
  ].join('\n')
}
