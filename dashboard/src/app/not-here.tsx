import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Empty } from '../parts/outcomes.tsx'

export function NotHere() {
  return (
    <Empty title="This page does not exist">
      Or your role does not see it.{' '}
      <Anchor component={Link} to="/">
        Go to the home page
      </Anchor>
    </Empty>
  )
}
