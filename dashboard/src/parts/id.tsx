import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { linkOf } from './url-search.ts'

/** An id, or a link to its record. */
export function Id({ id, to }: { id: string; to?: string | undefined }) {
  return to === undefined ? (
    <code className="id">{id}</code>
  ) : (
    <Anchor className="id" component={Link} {...linkOf(to)}>
      {id}
    </Anchor>
  )
}
