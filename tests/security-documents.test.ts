import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pathsBelow, readSources, readText } from './support/sources.ts'

/** How many requirements each section of ASVS 5.0 has at level 1 and 2; they are numbered without gaps. */
const SECTIONS = `
  1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 5.1:1 5.2:3
  5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3
  9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4
  13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4
  17.3:2`
const REQUIREMENTS = SECTIONS.trim()
  .split(/\s+/)
  .flatMap((section) => {
    const [number, count] = section.split(':')
    return Array.from({ length: Number(count) }, (_, index) => `${number}.${index + 1}`)
  })

const VERDICTS = ['holds', 'not applicable', 'gap'] as const

const documents = pathsBelow('docs/security')
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readText(path) }))
/** What stands between backticks, outside of drawings. */
const quoted = documents.flatMap(({ path, text }) =>
  [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, what = '']) => ({ path, what })),
)

const asvs = documents.find(({ path }) => path.endsWith('asvs.md'))?.text ?? ''
const rows = [...asvs.matchAll(/^\| (\d+\.\d+\.\d+) \| (.*) \|$/gm)].map(([, requirement = '', rest = '']) => {
  const [level, about, verdict, where = '', test = ''] = rest.split(' | ').map((cell) => cell.trim())
  return { requirement, level, about, verdict, where, test }
})
const withVerdict = (verdict: string) => rows.filter((row) => row.verdict === verdict)

describe('the documents for those who judge the security', () => {
  it('are a threat model, the requirements of ASVS and the duties of the DPDP Act, each linked from README and SECURITY', () => {
    assert.deepEqual(documents.map(({ path }) => path.replace('docs/security/', '')).toSorted(), [
      'asvs.md',
      'dpdp.md',
      'threat-model.md',
    ])
    for (const from of ['README.md', 'SECURITY.md'])
      for (const { path } of documents) assert(readText(from).includes(`](${path})`), `${from} links ${path}`)
  })

  it('name files and tests that exist', () => {
    const FILE = /^(?:src|tests|docs|tools|sandbox|pages|deploy|migrations|templates)\/\S+|^[\w-]+\.(?:md|json|sql)$/
    const named = quoted.filter(({ what }) => FILE.test(what))
    assert(named.length > 400, 'they are found at all')
    const missing = named.filter(({ what }) => !existsSync(new URL(`../${what}`, import.meta.url)))
    assert.deepEqual(missing, [])
  })

  it('name operations that there are', () => {
    const { paths } = JSON.parse(readText('openapi.json')) as { paths: Record<string, Record<string, unknown>> }
    const named = quoted.flatMap(({ path, what }) => {
      const [, method, url = ''] = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/.exec(what) ?? []
      return method === undefined ? [] : [{ path, method: method.toLowerCase(), url }]
    })
    assert(named.length > 30, 'they are found at all')
    assert.deepEqual(
      named.filter(({ method, url }) => paths[url]?.[method] === undefined),
      [],
    )
  })

  it('name tables, fields, settings and commands that there are', () => {
    const [settings = '', commands = '', schema = '', openapi = ''] = [
      'docs/reference/settings.md',
      'docs/reference/commands.md',
      'schema.sql',
      'openapi.json',
    ].map(readText)
    const known: [RegExp, (what: string) => boolean][] = [
      [/^[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+$/, (name) => settings.includes(`\`${name}\``) || OF_OTHERS.includes(name)],
      [/^[a-z]+(?:_[a-z]+)+$/, (name) => schema.includes(name) || openapi.includes(name) || OF_OTHERS.includes(name)],
      [
        /^(?:banyan )?(?:keys|audit|ledger|erasures) [a-z-]+$/,
        (name) => commands.includes(name.replace('banyan ', '')),
      ],
    ]
    const missing = quoted.filter(({ what }) => known.some(([kind, isThere]) => kind.test(what) && !isThere(what)))
    assert.deepEqual(missing, [])
  })
})

/** Names that Node, OpenTelemetry, PostgreSQL and OpenID Connect give. */
const OF_OTHERS = ['NODE_EXTRA_CA_CERTS', 'OTEL_EXPORTER_OTLP_HEADERS', 'auth_time']

describe('the table of ASVS 5.0', () => {
  it('has every requirement of level 1 and 2 once, in their order', () => {
    assert.deepEqual(
      rows.map(({ requirement }) => requirement),
      REQUIREMENTS,
    )
    for (const { requirement, level, about } of rows) {
      assert.match(level ?? '', /^[12]$/, requirement)
      assert.notEqual(about, '', requirement)
    }
  })

  it('has one of three verdicts for each, with what it rests on', () => {
    for (const { requirement, verdict, where, test } of rows) {
      assert(
        VERDICTS.some((one) => one === verdict),
        `${requirement}: ${verdict}`,
      )
      assert.notEqual(where, '', `${requirement} says where, or why`)
      if (verdict === 'holds') assert.match(test, /`tests\/\S+`/, `${requirement} is shown by a test`)
      assert.equal(verdict === 'gap', where.includes('Closes: '), `${requirement} says what would close a gap`)
    }
  })

  it('counts them as they are, and lists each gap once: of the program or of those who run it', () => {
    for (const verdict of VERDICTS) {
      const [, count] = new RegExp(`^\\| ${verdict} \\| (\\d+) \\|$`, 'm').exec(asvs) ?? []
      assert.equal(Number(count), withVerdict(verdict).length, verdict)
    }
    const listed = [...asvs.matchAll(/^Gaps .*?: (.*)\.$/gm)].flatMap(([, list = '']) => list.split(', '))
    assert.deepEqual(
      listed.toSorted(),
      withVerdict('gap')
        .map(({ requirement }) => requirement)
        .toSorted(),
    )
  })
})

describe('what they say of the whole code', () => {
  it('no certificate is believed unverified', () => {
    const UNVERIFIED = /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/
    const offences = readSources('src', 'sandbox').filter(({ code }) => UNVERIFIED.test(code))
    assert.deepEqual(
      offences.map(({ path }) => path),
      [],
    )
  })
})
