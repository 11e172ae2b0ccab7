import { createRootRoute, createRoute, createRouter, lazyRouteComponent, type AnyRouter } from '@tanstack/react-router'
import { LOGGED_IN_PATH } from '../api/banyan.ts'
import type { Role } from '../api/roles.ts'
import { Failed, Loading } from '../parts/outcomes.tsx'
import { parseUrlState, urlStateText } from '../parts/url-search.ts'
import { LoggedIn } from './logged-in.tsx'
import { NotHere } from './not-here.tsx'
import { SCREENS, type Screen, screensFor } from './screens.ts'
import { Shell } from './shell.tsx'

/** The routes of a role: what it may not see is not there. */
export function routerFor(role: Role): AnyRouter {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotHere })
  const own = screensFor(role)
  const screens = own.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(whenReachable(load), 'Screen') }),
  )
  // Or the last step of such a path would be taken for the id of a record.
  const others = SCREENS.filter((screen) => !own.includes(screen) && !screen.path.includes('$')).map(({ path }) =>
    createRoute({ getParentRoute: () => root, path, component: NotHere }),
  )
  const loggedIn = createRoute({ getParentRoute: () => root, path: LOGGED_IN_PATH, component: LoggedIn })
  return createRouter({
    routeTree: root.addChildren([...screens, ...others, loggedIn]),
    basepath: '/dashboard',
    parseSearch: parseUrlState,
    stringifySearch: (search) => urlStateText(search as Record<string, string>),
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: Loading,
    defaultErrorComponent: ({ error }) => (
      <Failed
        error={error instanceof Error ? error : new Error('This screen has failed.')}
        again={() => location.reload()}
      />
    ),
  })
}

const ASK_AGAIN_AFTER_MS = 2_000
const ASK_AT_MOST_MS = 5_000

/**
 * Waits for the service where the code of a screen cannot be loaded: the router would reload the page, and lose it. A
 * browser notices a lost connection late or never, so the service itself is asked.
 */
const whenReachable =
  (load: Screen['load']): Screen['load'] =>
  () =>
    load().catch(async () => {
      while (!(await isReachable())) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_AFTER_MS))
      return load()
    })

/** Whether anything responds: a proxy that redirects to its login does, and only a page that is loaded again follows. */
const isReachable = () =>
  fetch('/dashboard/icon.svg', {
    cache: 'no-store',
    redirect: 'manual',
    signal: AbortSignal.timeout(ASK_AT_MOST_MS),
  }).then(
    ({ status }) => status < 500 && status !== 429,
    () => false,
  )
