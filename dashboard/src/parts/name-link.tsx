import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { linkOf } from './url-search.ts'

/** A record by its name, which leads to it. */
export function NameLink({ name, to }: { name: string; to: string }) {
  return (
    <Anchor component={Link} size="sm" {...linkOf(to)}>
      <bdi>{name}</bdi>
    </Anchor>
  )
}
