import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Page } from '../parts/page.tsx'

export function NotHere() {
  return (
    <Page title="This page does not exist">
      <Text>
        Or your role does not see it.{' '}
        <Anchor component={Link} to="/">
          Go to the home page
        </Anchor>
      </Text>
    </Page>
  )
}
