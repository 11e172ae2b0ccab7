import type { FoundInsurancePolicy } from '@banyan/client'
import { List } from '@mantine/core'
import { Id } from '../../parts/id.tsx'
import { Section } from '../../parts/page.tsx'
import { Day } from '../../parts/when.tsx'

/** What is kept of policies of erased persons: they have no page. */
export function RetainedPolicies({ policies }: { policies: readonly FoundInsurancePolicy[] }) {
  const found = policies.flatMap(({ retained, ...policy }) => (retained === null ? [] : [{ ...policy, retained }]))
  if (found.length === 0) return null
  return (
    <Section title="Retained of erased persons">
      <List size="sm" aria-label="Retained policies">
        {found.map(({ id, plan_code, start_date, end_date, retained }) => (
          <List.Item key={id}>
            <Id id={id} />{' '}
            {[retained.external_policy_id, retained.master_policy_number, plan_code].filter(Boolean).join(', ')},{' '}
            <Day day={start_date} /> to <Day day={end_date} />: retained until <Day day={retained.until} /> (
            {retained.law}). Nothing else is left.
          </List.Item>
        ))}
      </List>
    </Section>
  )
}
