import { SegmentedControl, Stack, Text } from '@mantine/core'
import { ADMINISTRATORS, type Role, ROLES } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Page } from '../../parts/page.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { FindPeople } from './find-people.tsx'
import { FindPolicies } from './find-policies.tsx'

type Way = { value: string; label: string; who: readonly Role[] }

const SUPPORT = ['platform', ...ADMINISTRATORS] as const
const WAYS: readonly Way[] = [
  { value: 'phone', label: 'Phone', who: SUPPORT },
  { value: 'id_proof', label: 'Identity', who: SUPPORT },
  { value: 'policy', label: 'Policy', who: ROLES },
  { value: 'group', label: 'Group', who: ROLES },
]

/** Finds a person or a policy by a number that somebody has given. The number is neither in the address nor stored. */
export function Screen() {
  const { role } = useSession()
  const [{ by }, setState] = useUrlState()
  const ways = WAYS.filter(({ who }) => who.includes(role))
  const way = ways.find(({ value }) => value === by)?.value ?? ways[0]?.value ?? 'policy'
  return (
    <Page title="Search">
      <Stack gap="sm" align="flex-start">
        <SegmentedControl
          size="xs"
          aria-label="Search by"
          data={ways.map(({ value, label }) => ({ value, label }))}
          value={way}
          onChange={(value) => setState({ by: value, row: undefined }, { replaces: true })}
        />
        <Text size="sm" c="dimmed">
          What you type is sent, but is neither kept nor part of the address.
        </Text>
      </Stack>
      {way === 'phone' || way === 'id_proof' ? <FindPeople key={way} by={way} /> : <FindPolicies key={way} by={way} />}
    </Page>
  )
}
