import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dereferenced } from '../tools/dereferenced.ts'
import { circlesIn } from './support/circles.ts'
import { functionsIn, pathsBelow, readSources, readText, type Source } from './support/sources.ts'

const src = readSources('src')
const outside = readSources('sandbox', 'tests', 'tools', 'bench')
const all = [...src, ...outside]

/** Fails with one line for each offence, `location: what`. */
function none(offences: string[]): void {
  assert.deepEqual(offences, [])
}

/** The places in the code, without comments, that match the pattern. */
function placesOf(pattern: RegExp, sources: Source[]): string[] {
  return sources.flatMap(({ path, code }) =>
    code
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 80)}`] : [])),
  )
}

const except = (...allowed: (string | RegExp)[]) =>
  src.filter(({ path }) => !allowed.some((one) => (typeof one === 'string' ? path === one : one.test(path))))

describe('size', () => {
  const FILE_LINES_MAX = 400
  const FUNCTION_LINES_MAX = 60
  /**
   * A function that contains functions (the routes of a domain, several operations of one object) reads as a list of
   * them: each is measured by itself, the list by what remains, and this is the limit of it all together.
   */
  const LIST_LINES_MAX = 100

  it('no file is longer than 400 lines', () => {
    none(
      all
        .filter(({ lines }) => lines.length > FILE_LINES_MAX)
        .map(({ path, lines }) => `${path}: ${lines.length} lines`),
    )
  })

  it('no function is longer than 60 lines', () => {
    const functions = src.flatMap((source) => functionsIn(source).map((block) => ({ path: source.path, ...block })))
    assert(functions.length > 300, 'functions are found at all')
    none(
      functions
        .filter(({ length, ownLength }) => ownLength > FUNCTION_LINES_MAX || length > LIST_LINES_MAX)
        .map(({ path, start, length }) => `${path}:${start}: ${length} lines`),
    )
  })
})

const DEPS = 'src/record/deps.ts'
/** Floors from top to bottom: what lies in each, and what it may import besides itself. */
const FLOORS: [is: RegExp, mayImport: RegExp][] = [
  [/^src\/main\.ts$/, /^src\/commands\/program\.ts$/],
  [
    /^src\/commands\//,
    /^src\/(boot|data-map|domains|record|access|settings|kernel)\/|^sandbox\/(demo|demo-people|import-file|listen)\.ts$/,
  ],
  [
    /^src\/boot\//,
    /^src\/(data-map|domains|record|access|settings|kernel)\/|^src\/(app|worker)\.ts$|^sandbox\/server\.ts$/,
  ],
  [/^src\/(app|worker|schedule)\.ts$/, /^src\/(data-map|domains|record|access|settings|kernel)\/|^src\/pipeline\.ts$/],
  [/^src\/pipeline\.ts$/, /^src\/(record|access|kernel)\//],
  [/^src\/data-map\//, /^src\/(domains|record|access|kernel)\//],
  [/^src\/domains\//, /^src\/(record|access|settings|kernel)\//],
  [/^src\/record\//, /^src\/(access|settings|kernel)\//],
  [/^src\/access\//, /^src\/(settings|kernel)\//],
  [/^src\/settings\//, /^src\/kernel\//],
  [/^src\/kernel\//, /^$/],
  // The calendar that the sandbox sets is the program's own, so these two use the kernel's dates; its pages
  // escape with the kernel; the demo and the listener are clients.
  [/^sandbox\//, /^src\/kernel\/(clock|date|http\/pages)\.ts$|^client\/src\/(index|operations|sandbox)\.ts$/],
]

/** The area of a path, and the domain in it: `cover` and `cover/policies`. */
const wingOf = (path: string) => /^src\/domains\/([^/]+)\/[^/]+\//.exec(path)?.[1]
const domainOf = (path: string) => /^src\/domains\/([^/]+\/[^/]+)\//.exec(path)?.[1]
const edges = [...src, ...outside.filter(({ path }) => path.startsWith('sandbox/'))].flatMap(({ path, imports }) =>
  imports.filter(({ isPackage }) => !isPackage).map((one) => ({ from: path, ...one })),
)

describe('imports', () => {
  it('point downwards: main → commands → boot → app, worker → domains → record → access → settings → kernel', () => {
    none(
      edges.flatMap(({ from, target }) => {
        const floor = FLOORS.find(([is]) => is.test(from))
        return floor?.some((pattern) => pattern.test(target)) ? [] : [`${from} imports ${target}`]
      }),
    )
  })

  it('the sandbox is imported by boot/parts.ts and the commands that are clients only', () => {
    const inside = edges.filter(({ target, from }) => target.startsWith('sandbox/') && !from.startsWith('sandbox/'))
    const importers = ['src/boot/parts.ts', 'src/commands/demo.ts', 'src/commands/events.ts', 'src/commands/import.ts']
    assert.deepEqual([...new Set(inside.map(({ from }) => from))], importers)
  })

  it('deps.ts has only types, and is imported as types only', () => {
    none(
      edges.filter(({ from, target, typeOnly }) => !typeOnly && [from, target].includes(DEPS)).map(({ from }) => from),
    )
  })

  it('a domain of another area is imported through its index.ts', () => {
    none(
      edges
        .filter(({ from, target }) => domainOf(target) !== undefined && wingOf(from) !== wingOf(target))
        .filter(({ target }) => !target.endsWith('/index.ts'))
        .map(({ from, target }) => `${from} imports ${target}`),
    )
  })

  it('areas never import each other in a cycle', () => {
    const known = edges
      .map(({ from, target }) => ({ from: wingOf(from), target: wingOf(target) }))
      .filter(({ from, target }) => from !== target)
    none(circlesIn(known))
  })

  // Type imports are excluded: they are gone before anything runs, and no loading order depends on them.
  it('files never import each other in a cycle', () => {
    const loaded = all.flatMap(({ path, imports }) =>
      imports
        .filter(({ typeOnly, isPackage }) => !typeOnly && !isPackage)
        .map(({ target }) => ({ from: path, target })),
    )
    assert(loaded.length > 1_000, 'they are found at all')
    none(circlesIn(loaded))
  })

  it('every file is reachable from main.ts', () => {
    const reached = new Set<string>()
    const visit = (path: string): void => {
      if (reached.has(path)) return
      reached.add(path)
      for (const { from, target } of edges) if (from === path) visit(target)
    }
    visit('src/main.ts')
    none(src.filter(({ path }) => !reached.has(path)).map(({ path }) => path))
  })

  it('modules with side effects outside the process are imported only where they belong', () => {
    const users = (name: string) =>
      src
        .filter(({ imports }) => imports.some(({ target, isPackage }) => isPackage && target === name))
        .map(({ path }) => path)
    none(users('pg').filter((path) => !/^src\/kernel\/(db|cluster|embedded-postgres)\//.test(path)))
    none(users('pg-boss').filter((path) => !path.startsWith('src/kernel/jobs/')))
    none(users('prom-client').filter((path) => path !== 'src/kernel/metrics.ts'))
    // In a domain only routes.ts knows the server itself; an operation gets the request that it serves.
    none(users('fastify').filter((path) => domainOf(path) && !path.endsWith('/routes.ts')))
  })

  it('OpenTelemetry is in one file, which is loaded only on demand', () => {
    const location = 'src/kernel/otlp-tracing.ts'
    const users = src.filter(({ imports }) => imports.some(({ target }) => target.startsWith('@opentelemetry/')))
    assert.deepEqual(
      users.map(({ path }) => path),
      [location],
    )
    const loading = edges.filter(({ target, typeOnly }) => target === location && !typeOnly).map(({ from }) => from)
    assert.deepEqual(loading, ['src/boot/run.ts'])
    assert(
      src.some(
        ({ path, code }) => path === 'src/boot/run.ts' && code.includes(`await import('../kernel/otlp-tracing.ts')`),
      ),
    )
  })

  it('adapters never see the database', () => {
    none(
      edges
        .filter(
          ({ from, target }) =>
            from.includes('/adapters/') && /\/kernel\/(db|batching|jobs)\/|\/store\.ts$|deps\.ts$/.test(target),
        )
        .map(({ from, target }) => `${from} imports ${target}`),
    )
  })
})

describe('each concern in its place', () => {
  // The two conditions that turn a scope into SQL are alongside the scope, so that ownership is decided in one file.
  const SQL_PLACES = [
    /[/-]store\.ts$/,
    /^src\/kernel\/(db|batching|cluster|embedded-postgres|jobs)\//,
    'src/access/revocations.ts',
    /^src\/access\/(data-keys|key-fingerprints)\.ts$/,
    'src/access/administrator-sessions.ts',
    'src/access/scope.ts',
    'src/access/otp.ts',
    'src/access/otp-limits.ts',
    'src/access/otp-outcomes.ts',
    'src/access/rate-limits.ts',
    'src/access/sealed-rows.ts',
    'src/access/platform-access.ts',
    'src/access/platform-setting.ts',
    'src/access/web-origins.ts',
    'src/domains/partners/credentials/create-credential-uses.ts',
    'src/access/refresh-families.ts',
    'src/access/user-sessions.ts',
    'src/record/audit.ts',
    'src/record/history.ts',
    'src/record/idempotency.ts',
    'src/record/change.ts',
    'src/record/log-positions.ts',
    'src/record/readiness.ts',
    'src/record/relay.ts',
    'src/record/seal-audit.ts',
  ]
  const SQL =
    /['"`]\s*\(?(select|insert into|update|delete from|create|alter|drop|lock|with|begin)\s|::text\b|\bstatement\(/

  it('SQL is in the stores and in the modules of kernel and access that own a table', () => {
    assert(placesOf(SQL, src).length > 50, 'SQL is found at all')
    none(placesOf(SQL, except(...SQL_PLACES)))
  })

  it('SQL names its columns, and its keywords are lower case', () => {
    none(placesOf(/\b(select|returning) (\w\.)?\*/, src))
    none(placesOf(/['"`]\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s/, src))
  })

  it('process.env is in settings/config.ts', () => none(placesOf(/\bprocess\.env\b/, except('src/settings/config.ts'))))

  it('fetch is in kernel/outbound, in the listener, which forwards, and in the sandbox operator, which calls back', () => {
    none(placesOf(/\bfetch\(/, except(/^src\/kernel\/outbound\//)))
    none(
      placesOf(
        /\bfetch\(/,
        outside.filter(({ path }) => /^sandbox\/(?!listen\.ts|operator\.ts)/.test(path)),
      ),
    )
  })

  it('the time of day is in kernel/clock.ts', () => {
    none(placesOf(/\bDate\.now\b|\bnew Date\(\)|\bDate\(\)/, except('src/kernel/clock.ts')))
  })

  it('there is no console output and no note of unfinished work', () => {
    none(
      placesOf(
        /\bconsole\./,
        all.filter(({ path }) => /^(src|sandbox)\//.test(path)),
      ),
    )
    none(all.flatMap(({ path, text }) => (/\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b/.test(text) ? [path] : [])))
  })

  it('a test file that would affect others opens its own app', () => {
    const FELT = /\bapp\.listen\(|\b(startWorker|migrateQueue)\(|\bsql\(.*\b(alter|create|drop|lock) \w/
    const testFiles = outside.filter(({ path }) => path.endsWith('.test.ts'))
    assert(placesOf(FELT, testFiles).length > 30, 'they are found at all')
    none(
      placesOf(
        FELT,
        testFiles.filter(({ code }) => code.includes('openTestApp()')),
      ),
    )
  })

  it('no test is skipped or run exclusively', () => {
    none(placesOf(/\b(it|test|describe)\.(only|skip|todo)\b|\b(only|skip|todo): true\b|\bt\.(skip|todo)\(/, outside))
  })

  it('a test that needs an installation of its own is not in the fast tier', () => {
    const isFast = ({ path }: Source) => path.endsWith('.test.ts') && !path.startsWith('tests/system/')
    none(placesOf(/\bown: true\b/, outside.filter(isFast)).filter((place) => !place.startsWith('tests/tidy.test.ts')))
  })
})

describe('names', () => {
  const BANNED = /^(?:.+-)?(?:utils?|helpers?|commons?|libs?|managers?|services?|misc)$|^shared$/

  it('describe the content of a file: no utils, helpers, common, shared, lib, manager, service', () => {
    const names = ['src', 'sandbox', 'tests', 'tools', 'bench'].flatMap(pathsBelow)
    none(names.filter((path) => path.split('/').some((part) => BANNED.test(part.replace(/(\.test)?\.\w+$/, '')))))
  })

  it('are lower case with hyphens', () => {
    const NAME =
      /^([a-z0-9-]+\/)*[a-z0-9-]+(\.test|\.s3test|\.browsertest|\.alertstest|\.dumptest|\.upgradetest|\.packagetest|\.deploytest|\.worldtest|\.d)?\.ts$/
    none(all.map(({ path }) => path).filter((path) => !NAME.test(path)))
  })

  const VOCABULARY = ['index', 'routes', 'records', 'store', 'states', 'errors', 'jobs']
  const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const exportsFunction = (code: string, name: string) =>
    new RegExp(`^export (async )?(function|const) ${name}\\b`, 'm').test(code)
  /** An interface to an external company: types, one of them named like the file, and at most its errors. */
  const isInterface = (code: string, name: string) =>
    new RegExp(`^export type ${name}\\b`, 'mi').test(code) &&
    !/^export (async )?(function|const|class (?!\w+ extends Error))\b/m.test(code)

  it('in a domain are of the vocabulary, or those of a function in the file', () => {
    none(
      src.flatMap(({ path, code }) => {
        const [, inside = ''] = /^src\/domains\/[^/]+\/[^/]+\/(.+)\.ts$/.exec(path) ?? []
        // Where one store grows too long, a second one is named after its content.
        const word = inside.replace(/^[a-z-]+-(?=store$)/, '')
        if (inside === '' || VOCABULARY.includes(word) || /^adapters\/[a-z-]+$/.test(inside)) return []
        const name = camelCase(inside)
        return exportsFunction(code, name) || isInterface(code, name) ? [] : [path]
      }),
    )
  })

  it('every domain has an index.ts, and only routes.ts mounts routes', () => {
    const domains = new Set(src.map(({ path }) => domainOf(path)).filter((domain) => domain !== undefined))
    none([...domains].filter((domain) => !src.some(({ path }) => path === `src/domains/${domain}/index.ts`)))
    const mounting = placesOf(
      /\bapp\.(get|post|put|patch|delete|route)\(/,
      src.filter(({ path }) => domainOf(path)),
    )
    none(mounting.filter((location) => !/\/routes\.ts:/.test(location)))
  })
})

describe('migrations', () => {
  const numberOf = (path: string) => Number(/\d{4}/.exec(path)?.[0])

  it('are numbered from 0001 without gaps and describe what they do', () => {
    const names = pathsBelow('migrations')
      .filter((path) => path.endsWith('.sql'))
      .toSorted((one, other) => numberOf(one) - numberOf(other))
    assert(names.length >= 3)
    for (const [index, path] of names.entries()) {
      assert.match(path, /^migrations\/(contract\/)?\d{4}_[a-z0-9_]+\.sql$/)
      assert.equal(numberOf(path), index + 1, path)
    }
  })
})

type Operation = {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  'x-callers'?: object
  security?: object[]
  requestBody?: { content: Record<string, { example?: unknown; schema: { examples?: unknown[]; example?: unknown } }> }
  responses: Record<string, unknown>
}

describe('every operation of openapi.json', () => {
  const document = dereferenced(JSON.parse(readText('openapi.json'))) as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, { description?: string; examples?: unknown[]; example?: unknown }> }
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ location: `${method.toUpperCase()} ${path}`, operation })),
  )
  const without = (what: (operation: Operation) => unknown) =>
    none(operations.filter(({ operation }) => !what(operation)).map(({ location }) => location))

  it('has an operationId, a summary, a description and a tag', () => {
    assert(operations.length > 40)
    without(({ operationId }) => operationId)
    without(({ summary }) => summary && summary.length <= 80 && !summary.endsWith('.'))
    without(({ description }) => description?.includes('**Who may call:**') && !description.startsWith('undefined'))
    without(({ tags }) => tags?.length === 1)
  })

  it('states who may call it and how they authenticate', () => {
    without((operation) => operation['x-callers'])
    without(({ security }) => security)
  })

  it('lists a success, client errors, 500 and 503', () => {
    const lists = (pattern: RegExp) =>
      without(({ responses }) => Object.keys(responses).some((status) => pattern.test(status)))
    for (const pattern of [/^[23]\d\d$/, /^4\d\d$/, /^406$/, /^500$/, /^503$/]) lists(pattern)
  })

  it('has an example of its body', () => {
    without(({ requestBody }) => {
      const bodies = Object.values(requestBody?.content ?? {})
      return bodies.every(({ example, schema }) => example ?? schema.example ?? schema.examples?.[0])
    })
  })

  it('returns records that have a description and an example', () => {
    const records = Object.entries(document.components.schemas)
    assert(records.length > 15)
    none(records.filter(([, { description }]) => !description).map(([name]) => name))
    none(records.filter(([, { example, examples }]) => (example ?? examples?.[0]) === undefined).map(([name]) => name))
  })
})
