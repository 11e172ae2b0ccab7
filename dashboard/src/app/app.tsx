import { MantineProvider } from '@mantine/core'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo } from 'react'
import { queryClient } from '../api/query-client.ts'
import { type Role, roleOf } from '../api/roles.ts'
import { sessionQuery } from '../api/session.ts'
import { Notices } from '../parts/notices.tsx'
import { Loaded } from '../parts/outcomes.tsx'
import { LogIn } from './log-in.tsx'
import { nonce } from './nonce.ts'
import { PurposeDialog } from './purpose-dialog.tsx'
import { routerFor } from './router.tsx'
import { SessionEnd } from './session-end.tsx'
import { readable, theme } from './theme.ts'

export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
      cssVariablesResolver={readable}
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queryClient}>
        <Entrance />
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  )
}

function Entrance() {
  const session = useQuery(sessionQuery)
  return (
    <Loaded query={session} lines={3}>
      {(data) => (data === null ? <LogIn /> : <Inside role={roleOf(data)} />)}
    </Loaded>
  )
}

function Inside({ role }: { role: Role }) {
  const router = useMemo(() => routerFor(role), [role])
  return (
    <>
      <RouterProvider router={router} />
      <PurposeDialog />
      <SessionEnd />
    </>
  )
}
