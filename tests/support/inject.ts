import inject, { type InjectOptions, type Response } from 'light-my-request'
import { type App, type AppSettings, buildApp } from '../../src/app.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createDoor, type Door } from '../../src/kernel/http/door.ts'
import type { RouteRules } from '../../src/kernel/http/exchange.ts'
import { Routes } from '../../src/kernel/http/router.ts'
import { createValidation } from '../../src/kernel/http/validation.ts'
import { createLog, type Log } from '../../src/kernel/log.ts'
import { createMetrics } from '../../src/kernel/metrics.ts'
import { createPipeline, type Steps } from '../../src/pipeline.ts'
import type { Deps } from '../../src/record/index.ts'

/** Sends a request without a socket. */
type Inject = { inject: (request: InjectOptions | string) => Promise<Response> }

export type InjectedApp = App & Inject

const injecting = <T extends Door>(door: T): T & Inject => ({
  ...door,
  inject: (request) => inject(door.handle, request),
})

/** The production app, to which requests can be sent without a socket. */
export const buildTestApp = (deps: Deps, settings: AppSettings): InjectedApp => injecting(buildApp(deps, settings))

/** Anybody may call, and nothing is recorded. */
const OPEN: Pick<Steps, 'access' | 'audit'> = {
  access: {
    notePage: () => {},
    isPreflight: () => false,
    allowPage: () => undefined,
    admit: () => {},
    checkAgain: () => {},
    asCaller: (_request, work) => work(),
    noteRejection: () => {},
  },
  audit: { checkRoom: () => {}, noteListed: () => {} },
}

type Serving = { origin?: string; log?: Log; missing?: RouteRules }

/** The production server and its steps with these routes alone, which anybody may call. */
export function serveRoutes(
  mount: (routes: Routes) => void,
  { origin = 'http://banyan.test', log = createLog('silent'), missing = {} }: Serving = {},
) {
  const routes = new Routes()
  mount(routes)
  const validation = createValidation(systemClock)
  const serve = createPipeline({ ...OPEN, validation, isUnavailable: () => false, origin, log })
  const metrics = createMetrics()
  const door = createDoor({ routes: routes.all, missing, serve, origin, log, metrics, trustedProxies: 0 })
  return { ...injecting(door), routes: routes.all }
}
