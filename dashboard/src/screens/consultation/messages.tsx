import type { BenefitProviderId } from '@banyan/client'
import { Button } from '@mantine/core'
import { useMutationState, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type ConsultationRef, THREAD_PAGE, threadQuery } from '../../api/consultations.ts'
import { namesQuery } from '../../api/names.ts'
import { useSession } from '../../api/session.ts'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Time } from '../../parts/when.tsx'
import { sendingKey } from './composer.tsx'

type MessagesSettings = {
  at: ConsultationRef
  providerId: BenefitProviderId
  purpose: string | undefined
  isReady: boolean
}

/** The newest messages, the last in view; what is being sent stands at the end already. */
export function Messages({ at, providerId, purpose, isReady }: MessagesSettings) {
  const [shown, setShown] = useState(THREAD_PAGE)
  const query = useQuery({ ...threadQuery(at, { shown, purpose }), enabled: isReady })
  const sending = useMutationState({
    filters: { mutationKey: sendingKey(at), status: 'pending' },
    select: ({ state }) => state.variables as string,
  })
  const isOwn = useOwnSide(providerId)
  const thread = useRef<HTMLDivElement>(null)
  const count = (query.data?.messages.length ?? 0) + sending.length
  useEffect(() => {
    const list = thread.current
    if (list) list.scrollTop = list.scrollHeight
  }, [count])

  return (
    <Loaded query={query} lines={5}>
      {({ messages, earlier }) => (
        <>
          {earlier > 0 && (
            <Button size="xs" variant="default" onClick={() => setShown(shown + THREAD_PAGE)}>
              Earlier messages ({earlier})
            </Button>
          )}
          {count === 0 ? (
            <Empty title="No messages yet">What the person writes appears here by itself.</Empty>
          ) : (
            <div className="thread" ref={thread} tabIndex={0} role="log" aria-label="Messages">
              <ol>
                {messages.map(({ id, sender_display_name: sender, created_at, body }) => (
                  <li key={id} data-own={isOwn(sender) || undefined}>
                    <header>
                      <b dir="auto">{sender}</b> <Time at={created_at} />
                    </header>
                    <p dir="auto">{body.content}</p>
                  </li>
                ))}
                {sending.map((content, index) => (
                  <li key={index} data-own data-sending>
                    <header>Sending…</header>
                    <p dir="auto">{content}</p>
                  </li>
                ))}
              </ol>
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}

/**
 * Whether a message is of the reader’s side. A message has only the name of its sender: the insurer’s for its whole desk, else the
 * partner’s or the person’s.
 */
function useOwnSide(providerId: BenefitProviderId): (sender: string) => boolean {
  const { role } = useSession()
  const { data } = useQuery(namesQuery(role))
  const insurer = data?.get(providerId)
  return (sender) => {
    if (role === 'benefit_provider') return sender === insurer
    return role === 'platform' && insurer !== undefined && sender !== insurer
  }
}
