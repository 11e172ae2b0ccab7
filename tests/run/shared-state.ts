/** State that the files of a process share and must leave unchanged, by name. */
function look(): Map<string, unknown> {
  const environment = Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value] as const)
  return new Map<string, unknown>([
    ...environment,
    ['the folder of the process', process.cwd()],
    ['Date', Date],
    ['setTimeout', setTimeout],
    ['setInterval', setInterval],
    ['setImmediate', setImmediate],
    ['fetch', fetch],
    ['the listeners for SIGTERM', process.listenerCount('SIGTERM')],
    ['the listeners for uncaught errors', process.listenerCount('uncaughtException')],
    ['the listeners for unhandled rejections', process.listenerCount('unhandledRejection')],
  ])
}

/** Returns a function that reports what has changed since, and restores the environment. */
export function watchSharedState(): () => string[] {
  const before = look()
  const environment = { ...process.env }
  return () => {
    const now = look()
    const names = [...new Set([...before.keys(), ...now.keys()])]
    const changed = names.filter((name) => before.get(name) !== now.get(name))
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
    Object.assign(process.env, environment)
    return changed
  }
}
