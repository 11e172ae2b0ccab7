import { Alert, Anchor, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type PolicyRef, timelineQuery } from '../../api/policies.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { places } from '../../parts/places.ts'
import { linkOf } from '../../parts/url-search.ts'

/** Why an application was sent back, and where those who may do it correct the people on it. */
export function SentBack({ policy }: { policy: PolicyRef }) {
  const { role } = useSession()
  const { data } = useInfiniteQuery(timelineQuery(policy))
  const entries = data?.pages.flatMap((page) => page.data) ?? []
  const reason = entries.find(({ kind, to }) => kind === 'STATUS_CHANGED' && to === 'PENDING')?.reason
  const link = (tab: string, text: string) => (
    <Anchor component={Link} underline="always" {...linkOf(places.person(policy.userId, tab))}>
      {text}
    </Anchor>
  )
  return (
    <Alert color="yellow" variant="outline" mb="sm" title="Sent back to the partner">
      {reason && (
        <Text size="sm" className="lines" dir="auto" mb={4}>
          “{reason}”
        </Text>
      )}
      <Text size="sm">
        {may(role, 'updateUser') ? (
          <>
            Correct {link('profile', 'the profile')} or {link('dependants', 'a dependant')} of the person. The insurer’s
            desk then goes on.
          </>
        ) : (
          'The mark goes when the partner corrects somebody on it.'
        )}
      </Text>
    </Alert>
  )
}
