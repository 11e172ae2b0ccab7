import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { requestIdOf, textOf } from '../api/problem.ts'

/** Nothing to show; `children` says what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Stack className="empty" gap={4} align="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" component="div" ta="center">
        {children}
      </Text>
    </Stack>
  )
}

/** Lines of the height that the content will have. */
export function Loading({ lines = 5 }: { lines?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={28} />
      ))}
    </Stack>
  )
}

export function Failed({ error, again }: { error: Error; again?: (() => void) | undefined }) {
  const requestId = requestIdOf(error)
  return (
    <Alert color="red" variant="outline" title="This did not work" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{textOf(error)}</Text>
        {requestId && (
          <Text size="xs" c="dimmed">
            For the operators: request <code>{requestId}</code>
          </Text>
        )}
        {again && (
          <Button size="xs" variant="default" onClick={again}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** Shown instead of what could not be loaded without a connection. */
export function Offline() {
  return <Empty title="No connection">This loads by itself as soon as there is one.</Empty>
}

type QueryState<Data> = {
  data: Data | undefined
  error: Error | null
  fetchStatus: 'fetching' | 'paused' | 'idle'
  refetch: () => unknown
}

/** What a query has brought, or what to say while it has not. */
export function Loaded<Data>({
  query,
  lines,
  children,
}: {
  query: QueryState<Data>
  lines?: number
  children: (data: Data) => ReactNode
}) {
  const { data, error, fetchStatus, refetch } = query
  if (data !== undefined) return <>{children(data)}</>
  if (error) return <Failed error={error} again={() => void refetch()} />
  if (fetchStatus === 'paused') return <Offline />
  return <Loading {...(lines !== undefined && { lines })} />
}
