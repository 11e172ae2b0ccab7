type Edges = Record<string, string>
export type LockEntry = {
  version: string
  link?: boolean
  dependencies?: Edges
  optionalDependencies?: Edges
  peerDependencies?: Edges
  devDependencies?: Edges
  workspaces?: string[]
}
type Packages = Record<string, LockEntry>

const namesIn = (...all: (Edges | undefined)[]): string[] => all.flatMap((edges) => Object.keys(edges ?? {}))

/** Finds a package as Node does from a folder: alongside it, or in a folder above. */
function locate(packages: Packages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}

/**
 * Returns the packages of a lock file that the program reaches, by their paths: not those of the workspaces, which npm marks in the
 * same way. With `dev`, also those that its tools reach.
 */
export function reachedPackages(packages: Packages, { dev = false } = {}): Set<string> {
  const reached = new Set<string>()
  const visit = (from: string, names: string[]): void => {
    for (const name of names) {
      const path = locate(packages, from, name)
      const entry = path === undefined ? undefined : packages[path]
      if (path === undefined || entry === undefined || entry.link || reached.has(path)) continue
      reached.add(path)
      visit(path, namesIn(entry.dependencies, entry.optionalDependencies, entry.peerDependencies))
    }
  }
  const root = packages[''] as LockEntry
  visit('', namesIn(root.dependencies, root.optionalDependencies, dev ? root.devDependencies : undefined))
  return reached
}
