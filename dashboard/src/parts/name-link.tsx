import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** A record by its name, which leads to it. */
export function NameLink({ name, to }: { name: string; to: string }) {
  return (
    <Anchor component={Link} to={to} size="sm">
      {name}
    </Anchor>
  )
}
