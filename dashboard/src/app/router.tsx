import { createRootRoute, createRoute, createRouter, lazyRouteComponent, type AnyRouter } from '@tanstack/react-router'
import { LOGGED_IN_PATH } from '../api/banyan.ts'
import type { Role } from '../api/roles.ts'
import { Failed, Loading } from '../parts/outcomes.tsx'
import { parseUrlState, urlStateText } from '../parts/url-search.ts'
import { LoggedIn } from './logged-in.tsx'
import { NotHere } from './not-here.tsx'
import { type Screen, screensFor } from './screens.ts'
import { Shell } from './shell.tsx'

/** The routes of a role: what it may not see is not there. */
export function routerFor(role: Role): AnyRouter {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotHere })
  const screens = screensFor(role).map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(whenOnline(load), 'Screen') }),
  )
  const loggedIn = createRoute({ getParentRoute: () => root, path: LOGGED_IN_PATH, component: LoggedIn })
  return createRouter({
    routeTree: root.addChildren([...screens, loggedIn]),
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

/** Waits for the connection where there is none: the router would reload the page, and lose it. */
const whenOnline =
  (load: Screen['load']): Screen['load'] =>
  () =>
    load().catch(async (error: unknown) => {
      if (navigator.onLine) throw error
      await new Promise((resolve) => addEventListener('online', resolve, { once: true }))
      return load()
    })
