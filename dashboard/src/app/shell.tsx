import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core'
import { useDisclosure, useDocumentVisibility } from '@mantine/hooks'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useNewWork } from '../api/new-work.ts'
import { isScreenKept, sessionEnd } from '../api/session-end.ts'
import { useSession } from '../api/session.ts'
import { Leaf } from '../parts/leaf.tsx'
import { Account } from './account.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Keys } from './keys.tsx'
import { PlaceIcon } from './place-icon.tsx'
import { GROUPS, type Screen, screensFor } from './screens.ts'
import { useEveryScreen } from './use-every-screen.ts'
import { useKeptFocus } from './use-kept-focus.ts'

/** Who looks at these has seen what waits. */
const WHERE_WORK_IS_SEEN: readonly string[] = ['/', '/my-day']

/** What is around every screen: navigation by role, the person, keys. */
export function Shell() {
  const { role } = useSession()
  const screens = useMemo(() => screensFor(role), [role])
  useEveryScreen(screens)
  useKeptFocus()
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { pathname } = useLocation()
  const hasEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.isClosed)
  const isInFront = useDocumentVisibility() === 'visible'
  const cameFrom = useRef<string>(undefined)
  const isBlank = hasEnded && !isScreenKept()
  const screen = screens.find(({ path }) => matches(path, pathname))
  const hasNews = useNewWork(role, WHERE_WORK_IS_SEEN.includes(pathname) && isInFront)
  useEffect(() => {
    const [record] = /\w{4}$/.exec(screen?.path.includes('$') ? pathname : '') ?? []
    // Never a name or a number of a person; the end of an id distinguishes tabs.
    const mark = hasNews ? '● ' : ''
    document.title =
      mark +
      [screen && [screen.title, record && `…${record}`].filter(Boolean).join(' '), 'Banyan'].filter(Boolean).join(' · ')
  }, [screen, pathname, hasNews])
  useEffect(close, [pathname, close])
  useEffect(() => {
    // Not on the way in; what the screen itself focuses keeps it.
    const main = document.getElementById('content')
    if (cameFrom.current !== undefined && cameFrom.current !== pathname && !main?.contains(document.activeElement))
      main?.focus({ preventScroll: true })
    cameFrom.current = pathname
  }, [pathname])

  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header className="header">
        <a className="skip" href="#content">
          Skip to the content
        </a>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Leaf size={24} />
            <Text fw={650} component={Link} to="/" className="brand">
              Banyan
            </Text>
          </Group>
          <Account />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Screens">
        {GROUPS.map((group) => (
          <Places key={group} group={group} screens={screens} current={screen} />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <ConnectionBanner />
        {!isBlank && <Outlet />}
      </AppShell.Main>
      <Keys screens={screens} />
    </AppShell>
  )
}

type PlacesSettings = { group: string; screens: readonly Screen[]; current: Screen | undefined }

function Places({ group, screens, current }: PlacesSettings) {
  const places = screens.filter((screen) => screen.group === group)
  if (places.length === 0) return null
  return (
    <div className="places">
      <Text size="xs" c="dimmed" fw={600} px={8}>
        {group}
      </Text>
      {places.map((screen) => (
        <NavLink
          key={screen.path}
          component={Link}
          to={screen.path}
          label={screen.title}
          leftSection={<PlaceIcon path={screen.path} />}
          active={screen === current}
          aria-current={screen === current ? 'page' : undefined}
          className="place"
        />
      ))}
    </div>
  )
}

/** `$name` in a path stands for one id. */
function matches(path: string, pathname: string): boolean {
  const [pattern, given] = [path, pathname].map((one) => one.split('/').filter((step) => step !== ''))
  return (
    pattern?.length === given?.length &&
    pattern?.every((step, index) => step.startsWith('$') || step === given?.[index]) === true
  )
}
