import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parseKeyTexts } from '../src/settings/keys.ts'
import { inspectConfig } from '../src/settings/config.ts'
import { unavailable } from '../src/kernel/problem-error.ts'
import { VERSION } from '../src/kernel/program-version.ts'
import { newKeys, variablesIn } from './support/production.ts'
import { pathsBelow, readSources, readText } from './support/sources.ts'

/** Returns the value of a constant in the source, in its unit. */
function valueOf(path: string, name: string): number {
  const [, text] =
    new RegExp(`const ${name} = ([\\d_* MIB]+)$`, 'm').exec(readText(path).replace(/ \/\/.*$/gm, '')) ?? []
  assert(text !== undefined, `${path} has ${name}`)
  return text
    .replaceAll('MIB', '1048576')
    .split('*')
    .reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1)
}

const SERVER = 'src/kernel/http/door.ts'
const nginx = readText('deploy/nginx/banyan.conf')
const haproxy = readText('deploy/haproxy/haproxy.cfg')

/** Returns the number of seconds or bytes that a configuration gives a name; fails when it gives several. */
function set(text: string, name: string): number {
  const values = [...text.matchAll(new RegExp(`^ *${name} (\\d+)[sm];?$`, 'gm'))].map(([, value]) => Number(value))
  assert.equal(new Set(values).size, 1, `${name}: ${values.join()}`)
  return values[0] as number
}

describe('the balancers that we ship', () => {
  it('reuse connections for less long than the API keeps them', () => {
    const kept_s = valueOf(SERVER, 'KEEP_ALIVE_MS') / 1_000
    assert(set(nginx, 'keepalive_timeout') < kept_s)
    assert(set(haproxy, 'timeout http-keep-alive') < kept_s)
  })

  it('wait longer for a response than the API takes', () => {
    const longest_s = valueOf(SERVER, 'INACTIVITY_MS') / 1_000
    for (const time of [set(nginx, 'proxy_read_timeout'), set(haproxy, 'timeout server')]) assert(time > longest_s)
  })

  it('wait for requests as long as the API', () => {
    const head_s = valueOf(SERVER, 'HEADERS_TIMEOUT_MS') / 1_000
    assert.equal(set(nginx, 'client_header_timeout'), head_s)
    assert.equal(set(haproxy, 'timeout http-request'), head_s)
    assert.equal(set(nginx, 'client_body_timeout'), valueOf(SERVER, 'REQUEST_TIMEOUT_MS') / 1_000)
  })

  it('let documents of the largest size through, and nothing larger', () => {
    const bytes = valueOf('src/kernel/http/pdf-body.ts', 'PDF_BYTES_MAX')
    assert.equal(set(nginx, 'client_max_body_size') * 1_048_576, bytes)
    assert(haproxy.includes(`hdr_val(content-length) gt ${bytes}`))
  })

  it('respond as the program does where no node is ready', () => {
    const [, body = '', after] =
      /http-error status 503 content-type application\/problem\+json string '(.+)' hdr Retry-After (\d+)$/m.exec(
        haproxy,
      ) ?? []
    const { detail, status, headers } = unavailable()
    assert.partialDeepStrictEqual(JSON.parse(body), { status, detail, code: 'unavailable' })
    assert.deepEqual({ 'retry-after': after }, headers)
  })

  it('check a node as docs/operations.md says', () => {
    assert.match(
      readText('docs/operations.md'),
      /every two seconds, with a time limit of two, take it out after two failures/,
    )
    assert.match(haproxy, /uri \/readyz/)
    assert.match(haproxy, /check inter 2s fall 2 rise 1/)
    assert.equal(set(haproxy, 'timeout check'), 2)
    const probe = /readinessProbe: .*path: \/readyz.*periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 2/
    assert.match(readText('deploy/kubernetes/service/api.yaml'), probe)
  })
})

/** The directives of a unit, by section and name. */
function directivesOf(text: string): Map<string, string> {
  const found = new Map<string, string>()
  let section = ''
  for (const line of text.split('\n')) {
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) found.set(`${section}.${name}`, value)
  }
  return found
}

/** systemd's defaults: it gives up a unit that would be started more than five times within ten seconds. */
const STARTS = { burst: 5, interval_s: 10 }

/** Whether a unit whose program ends at once, again and again, is started for ever. */
function isNeverGivenUp(unit: Map<string, string>): boolean {
  const seconds = (name: string, usual: number) => Number(/^\d+/.exec(unit.get(name) ?? String(usual))?.[0])
  const interval_s = seconds('Unit.StartLimitIntervalSec', STARTS.interval_s)
  const burst = seconds('Unit.StartLimitBurst', STARTS.burst)
  return interval_s === 0 || burst * seconds('Service.RestartSec', 0) > interval_s
}

describe('what restarts the programs that we ship', () => {
  const programs = pathsBelow('deploy/systemd').filter((path) => /Restart=(?!no$)/m.test(readText(path)))

  it('are the units of the API and the worker, which are started for ever, however late the database comes', () => {
    assert.equal(programs.length, 2)
    for (const path of programs) {
      const unit = directivesOf(readText(path))
      assert.equal(unit.get('Service.Restart'), 'always')
      assert(isNeverGivenUp(unit), `${path} is given up after ${STARTS.burst} starts`)
    }
  })

  it('ends a program that is frozen: the units wait for a sign of its life, which a child of it sends', () => {
    for (const path of programs) {
      const unit = directivesOf(readText(path))
      const [type, access, signal] = ['Type', 'NotifyAccess', 'WatchdogSignal'].map((name) =>
        unit.get(`Service.${name}`),
      )
      assert.deepEqual([path, type, access, signal], [path, 'notify', 'all', 'SIGKILL'])
      const silent_s = valueOf('src/kernel/processes/start-child.ts', 'PING_TIMEOUT_MS') / 1_000
      const sent_s = valueOf('src/kernel/processes/systemd.ts', 'NOTIFY_MS_MAX') / 1_000
      const watchdog_s = Number(unit.get('Service.WatchdogSec'))
      const signs = valueOf('src/kernel/processes/systemd.ts', 'SIGNS_PER_WATCHDOG')
      assert(watchdog_s > watchdog_s / signs + silent_s + sent_s, 'the slowest sign comes in time')
    }
  })

  it('leaves a machine without a database its processor: a start that fails takes a third of a second', () => {
    for (const path of programs) {
      const seconds = Number(directivesOf(readText(path)).get('Service.RestartSec'))
      assert(seconds >= 3 && seconds <= 10, path)
    }
  })

  it('does so under Compose, too: every service but those that do one thing', () => {
    const text = readText('deploy/compose.yaml')
    assert.match(/^x-program:[^]*?^x-/m.exec(text)?.[0] ?? '', /^ {2}restart: unless-stopped$/m)
    const others = [...text.matchAll(/^ {4}restart: '?(.+?)'?$/gm)].map(([, policy]) => policy)
    assert.deepEqual(
      others.filter((policy) => policy !== 'unless-stopped'),
      ['no'],
      'the migration alone',
    )
  })

  it('asks for the process alone: none is ended because a database, or another process, is away', () => {
    for (const path of ['deploy/kubernetes/service/api.yaml', 'deploy/kubernetes/service/worker.yaml']) {
      const probes = [...readText(path).matchAll(/(?:startup|liveness)Probe: .*path: (\S+),/g)].map(
        ([, asked]) => asked,
      )
      assert.deepEqual([path, ...probes], [path, '/livez', '/livez'])
    }
    const asked = [...(/HEALTHCHECK[^]*?exit/.exec(readText('Dockerfile'))?.[0] ?? '').matchAll(/PORT\}(\/\w+)/g)]
    assert.deepEqual(
      asked.map(([, path]) => path),
      ['/livez', '/livez'],
    )
  })
})

describe('the version', () => {
  it('stands in package.json; the client, the lock file and the deployments follow', () => {
    const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, { version: string }> }
    const client = JSON.parse(readText('client/package.json')) as { version: string }
    const stated = {
      client: client.version,
      'lock file': packages['']?.version,
      'client in the lock file': packages['client']?.version,
      ...Object.fromEntries(
        ['service', 'migrate'].map((name) => {
          const text = readText(`deploy/kubernetes/${name}/kustomization.yaml`)
          return [name, /newTag: (\S+) /.exec(text)?.[1]]
        }),
      ),
    }
    assert.deepEqual([...new Set(Object.values(stated))], [VERSION], JSON.stringify(stated))
    const dashboard = 'dashboard/package.json'
    if (existsSync(new URL(`../${dashboard}`, import.meta.url)))
      assert.equal((JSON.parse(readText(dashboard)) as { version: string }).version, VERSION)
  })

  it('of Node is the same in the image as in development', () => {
    const manifest = JSON.parse(readText('package.json')) as Record<string, Record<string, string>>
    assert(readText('Dockerfile').includes(`node:${manifest['devDependencies']?.['node']}-bookworm-slim`))
  })

  it('stands in every line that unpacks the package', () => {
    for (const path of ['docs/operators/two-nodes.md', 'deploy/README.md']) {
      const named = [...readText(path).matchAll(/(?:banyan-server-|\/opt\/banyan-)([\d.]+\d(?:-\w+)?)/g)].map(
        ([, one]) => one,
      )
      assert.deepEqual([path, ...new Set(named)], [path, VERSION])
    }
  })
})

describe('deploy/systemd/banyan.env', () => {
  const FILLED: Record<string, string> = {
    DATABASE_URL: 'postgres://banyan_app:of-our-own@127.0.0.1/banyan',
    ACCOUNT_PROVIDER_URL: 'https://bank.example.org',
    OPERATOR_URL: 'https://operator.example.org',
    OPERATOR_SECRET: 'sixteen characters',
  }
  const template = variablesIn(readText('deploy/systemd/banyan.env'))
  const empty = Object.keys(template).filter((name) => template[name] === '')

  it('has every setting that production requires: the program names what is empty, and nothing once it is filled in', () => {
    const { errors } = inspectConfig({ ...template, ...newKeys() })
    assert.deepEqual(new Set(errors.map((sentence) => /^\w+/.exec(sentence)?.[0])), new Set(empty))
    const filled = Object.fromEntries(empty.map((name) => [name, FILLED[name] ?? 'filled in']))
    assert.deepEqual(inspectConfig({ ...template, ...newKeys(), ...filled }).errors, [])
  })

  it('has no right of the owner, which only migrate.env has', () => {
    assert(!('MIGRATION_DATABASE_URL' in template))
    const migrate = variablesIn(readText('deploy/systemd/migrate.env'))
    assert.deepEqual(Object.keys(migrate), ['NODE_ENV', 'MIGRATION_DATABASE_URL', 'DATABASE_URL'])
  })
})

describe('deploy/compose.yaml', () => {
  const text = readText('deploy/compose.yaml')
  const makeSecrets = () =>
    variablesIn(
      execFileSync(new URL('../deploy/make-secrets', import.meta.url).pathname, ['--compose'], { encoding: 'utf8' }),
    )
  const REMEDY = 'make it with deploy/make-secrets --compose > deploy/.env'
  const interpolated = [...text.matchAll(/\$\{(\w+)(.*?)\}/g)].map(([, name = '', rest]) => ({ name, rest }))

  it('has no secret: Compose reads each from a file that make-secrets makes, and says so where one is missing', () => {
    assert.deepEqual(new Set(interpolated.map(({ rest }) => rest)), new Set([`:?${REMEDY}`]))
    assert(text.includes(REMEDY.replace('make it with ', '')), 'its head has the command')
    const [one, other] = [makeSecrets(), makeSecrets()]
    assert.deepEqual(new Set(Object.keys(one)), new Set(interpolated.map(({ name }) => name)))
    for (const [name, value] of Object.entries(one)) {
      assert.match(value, /^[0-9a-f]{48}$/, name)
      assert.notEqual(value, other[name])
    }
    const assigned = [...text.matchAll(/^ +(\w*(?:PASSWORD|SECRET|API_KEY|TOKEN|ACCESS_KEY)): (.*)$/gm)]
    assert(assigned.length > 10)
    for (const [, name, value = ''] of assigned) assert(value.startsWith('${'), name)
    for (const path of pathsBelow('deploy/compose').filter((one) => one.endsWith('.json')))
      assert.doesNotMatch(readText(path), /"(?:secret|value|secretKey)": "(?!\$\{)/, path)
  })

  it('gives the program settings that production takes', () => {
    const [, block = ''] = /^ {2}environment: &settings\n((?: {4}.*\n)+)/m.exec(text) ?? []
    const secrets = makeSecrets()
    const settings = Object.fromEntries(
      [...block.matchAll(/^ {4}(\w+): '?(.*?)'?(?: #.*)?$/gm)].map(([, name = '', value = '']) => [
        name,
        value.replaceAll(/\$\{(\w+).*?\}/g, (_, one: string) => secrets[one] ?? assert.fail(one)),
      ]),
    )
    assert.equal(settings['NODE_ENV'], 'production')
    assert.deepEqual(inspectConfig({ ...settings, ...newKeys() }).errors, [])
  })

  it('makes roles and a bucket with the secrets that the program has', () => {
    for (const line of [
      "create role banyan_owner login password '${DATABASE_OWNER_PASSWORD:",
      "create role banyan_app login password '${DATABASE_APP_PASSWORD:",
      '"secretKey": "${S3_SECRET_ACCESS_KEY:',
      'postgresql://banyan_owner:${DATABASE_OWNER_PASSWORD:',
      'postgresql://banyan_app:${DATABASE_APP_PASSWORD:',
    ])
      assert(text.includes(line), line)
    const realm = readText('deploy/compose/realm.json')
    const named = [...realm.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)
    assert.deepEqual(named, ['OIDC_CLIENT_SECRET', 'LOGIN_PASSWORD'])
    const [, identity = ''] = /^ {2}identity:\n((?: {4}.*\n)+)/m.exec(text) ?? []
    for (const name of named) assert(identity.includes(`${name}: \${${name}:`), name)
  })

  it('keeps the secrets out of git and of the package', () => {
    const { files } = JSON.parse(readText('package.json')) as { files: string[] }
    for (const path of ['deploy/.env', 'deploy/compose/secrets.env']) {
      assert(readText('.gitignore').split('\n').includes(`/${path}`), path)
      assert(files.includes(`!${path}`), path)
    }
  })
})

describe('deploy/make-secrets', () => {
  it('prints keys that the program takes, new ones each time', () => {
    const make = () => newKeys() as Parameters<typeof parseKeyTexts>[0]
    const [one, other] = [make(), make()]
    assert.deepEqual(Object.keys(one).toSorted(), ['ADMIN_API_KEYS', 'HASH_KEY', 'MASTER_KEYS', 'SIGNING_KEYS'])
    for (const texts of [one, other])
      assert(!Array.isArray(parseKeyTexts(texts, { production: true })), JSON.stringify(texts))
    for (const [name, text] of Object.entries(one)) assert.notEqual(text, other[name as keyof typeof other])
  })
})

describe('the package', () => {
  it('finds files and started modules in one place, because a compiled module lies elsewhere', () => {
    const places = readSources('src', 'sandbox').filter(
      ({ path, code }) =>
        /import\.meta\.(url|dirname|filename)/.test(code) &&
        !['src/main.ts', 'src/kernel/program-files.ts'].includes(path) &&
        !/createRequire\(import\.meta\.url\)/.test(code),
    )
    assert.deepEqual(
      places.map(({ path }) => path),
      [],
    )
  })

  it('starts modules, and reads files, that exist', () => {
    const named = readSources('src').flatMap(({ code }) =>
      [...code.matchAll(/program(?:File|Module)\('([^']+)'\)/g)].map(([, path = '']) => path),
    )
    assert(named.length >= 5)
    for (const path of named.filter((one) => !one.includes('/dist/')))
      assert(existsSync(new URL(`../${path}`, import.meta.url)), path)
    const { files } = JSON.parse(readText('package.json')) as { files: string[] }
    for (const path of named.filter((one) => !one.endsWith('.ts') && one !== 'package.json'))
      assert(
        files.some((folder) => path === folder || path === `${folder}/`),
        `${path} is packed`,
      )
  })

  it('refuses the versions of Node that its manifest excludes', () => {
    const [, major, minor] = /NODE_MIN = { major: (\d+), minor: (\d+) }/.exec(readText('src/main.ts')) ?? []
    const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } }
    assert.equal(engines.node, `>=${major}.${minor}`)
  })
})

it('every file below deploy is named in deploy/README.md, by itself or by its folder', () => {
  const text = readText('deploy/README.md')
  const missing = pathsBelow('deploy').filter((path) => {
    const [, folder = '', file] = path.split('/')
    return folder !== 'README.md' && !text.includes(file === undefined ? folder : `${folder}/`)
  })
  assert.deepEqual(missing, [])
})

describe('lines for operators', () => {
  it('pass no address with a password as an argument, which every account of a machine sees', () => {
    const pages = [...pathsBelow('docs'), 'deploy/README.md', 'README.md', 'SECURITY.md'].filter((path) =>
      path.endsWith('.md'),
    )
    const shown = /^(?!.*(?:^|\s)(?:export )?\w+=).*(?:"\$\w*DATABASE_URL"|--(?:to|secret|basic-token)[ =]<)/m
    const found = pages.filter((path) => !path.startsWith('docs/reference/') && shown.test(readText(path)))
    assert(pages.length > 30 && shown.test('pg_dump "$MIGRATION_DATABASE_URL"'), 'they would be found')
    assert.deepEqual(found, [])
  })
})
