import { Button } from '@mantine/core'
import { useMutationState, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type ConsultationRef, THREAD_PAGE, threadQuery } from '../../api/consultations.ts'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Time } from '../../parts/when.tsx'
import { sendingKey } from './composer.tsx'

type MessagesSettings = { at: ConsultationRef; purpose: string | undefined; isReady: boolean }

/** The newest messages, the last in view; what is being sent stands at the end already. */
export function Messages({ at, purpose, isReady }: MessagesSettings) {
  const [shown, setShown] = useState(THREAD_PAGE)
  const query = useQuery({ ...threadQuery(at, { shown, purpose }), enabled: isReady })
  const sending = useMutationState({
    filters: { mutationKey: sendingKey(at), status: 'pending' },
    select: ({ state }) => state.variables as string,
  })
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
                  <li key={id}>
                    <header>
                      <b dir="auto">{sender}</b> <Time at={created_at} />
                    </header>
                    <p dir="auto">{body.content}</p>
                  </li>
                ))}
                {sending.map((content, index) => (
                  <li key={index} data-sending>
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
