import { AuthenticationError } from '@banyan/client'
import { Button, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useSyncExternalStore } from 'react'
import { loginUrls, readSession } from '../api/banyan.ts'
import { isScreenKept, onLogOut, sessionEnd } from '../api/session-end.ts'
import { sessionQuery, useSession } from '../api/session.ts'

/** Above the dialog that was open when it ended. */
const ABOVE_ALL = 500

const LOOK_MS = 60_000

export const LOGGED_IN_CHANNEL = 'banyan-logged-in'

/**
 * Asks for a new login when the session has ended. What is typed or being sent stays behind it, unseen, and is sent
 * afterwards; any other screen is emptied. If somebody else logs in, the page is loaded again, so that nothing of the former person remains.
 */
export function SessionEnd() {
  const hasEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.isClosed)
  const { id, role } = useSession()
  const queries = useQueryClient()

  const isBlank = hasEnded && !isScreenKept()

  // A person who is at the page or comes back to it should not see what nobody may read any more.
  const look = useCallback(async () => {
    const session = await readSession().catch((error: Error) =>
      error instanceof AuthenticationError ? null : undefined,
    )
    if (session === null) void sessionEnd.wait()
    else if (session && (session.administrator_id !== id || session.role !== role)) location.reload()
  }, [id, role])

  useEffect(() => {
    if (hasEnded) return
    const onLook = () => void look()
    const timer = setInterval(onLook, LOOK_MS)
    const stop = onLogOut(onLook)
    addEventListener('focus', onLook)
    return () => {
      clearInterval(timer)
      stop()
      removeEventListener('focus', onLook)
    }
  }, [hasEnded, look])

  useEffect(() => {
    if (isBlank) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  }, [isBlank, queries])

  const check = useCallback(async () => {
    const session = await readSession().catch(() => undefined)
    if (!session) return
    if (session.administrator_id !== id || session.role !== role) return location.reload()
    queries.setQueryData(sessionQuery.queryKey, session)
    sessionEnd.open()
  }, [id, role, queries])

  useEffect(() => {
    if (!hasEnded) return
    const channel = new BroadcastChannel(LOGGED_IN_CHANNEL)
    const onChange = () => void check()
    channel.addEventListener('message', onChange)
    addEventListener('focus', onChange)
    return () => {
      channel.close()
      removeEventListener('focus', onChange)
    }
  }, [hasEnded, check])

  return (
    <Modal
      opened={hasEnded}
      onClose={() => void check()}
      withCloseButton={false}
      title="Your session has ended"
      overlayProps={{ backgroundOpacity: 1, color: 'var(--mantine-color-body)' }}
      centered
      zIndex={ABOVE_ALL}
    >
      <Stack>
        <Text size="sm">
          Log in again in a new tab. What you have typed stays here, and what you were doing goes on.
        </Text>
        <Button component="a" href={loginUrls.inNewTab} target="_blank" rel="noopener">
          Log in again
        </Button>
      </Stack>
    </Modal>
  )
}
