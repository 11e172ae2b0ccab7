import { AsyncLocalStorage } from 'node:async_hooks'

const current = new AsyncLocalStorage<string | undefined>()

/** Runs work for one caller, whose share of the connections and of the typesetter it uses. */
export const withCaller = <T>(caller: string, work: () => T): T => current.run(caller, work)

/** Returns the caller whose work this is; undefined when it belongs to no single one. */
export const currentCaller = (): string | undefined => current.getStore()

/** Runs work that belongs to no single caller, such as a statement that several callers share. */
export const withoutCaller = <T>(work: () => T): T => current.run(undefined, work)
