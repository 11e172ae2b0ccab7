import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'

export function Screen() {
  return (
    <Page title="Home">
      <Stack gap="xs" align="flex-start">
        <Text>What waits for a decision:</Text>
        <Anchor component={Link} to={places.policies}>
          Policies
        </Anchor>
      </Stack>
    </Page>
  )
}
