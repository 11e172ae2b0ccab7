import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Demo } from '../../sandbox/demo.ts'
import { unpackPackages } from '../support/debian-packages.ts'
import { run } from '../support/packed-client.ts'
import { newWorkspaceWithDatabase, runCommand, startServer } from '../support/server.ts'
import { readText } from '../support/sources.ts'
import { emptyProject, npm } from './installation.ts'

const TSC = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname
const { paths } = JSON.parse(readText('openapi.json')) as { paths: Record<string, Record<string, object>> }
const operations = Object.values(paths).flatMap((path) =>
  Object.values(path).flatMap((operation) => ('operationId' in operation ? [String(operation.operationId)] : [])),
)

type Generator = {
  /** What is installed from the registry, into a folder of its own. */
  packages: string[]
  args: string[]
  output: string
  /** How the output names an operation. */
  names(operation: string): RegExp
}

const GENERATORS: Record<string, Generator> = {
  'hey-api': {
    packages: ['@hey-api/openapi-ts@0.99.0', 'typescript@6.0.3'],
    args: ['openapi-ts', '--input', 'openapi.json', '--output', 'generated'],
    output: 'generated/sdk.gen.ts',
    names: (operation) => new RegExp(`^export const ${operation} = `, 'm'),
  },
  'openapi-typescript': {
    packages: ['openapi-typescript@7.13.0', 'typescript@5.9.3'],
    args: ['openapi-typescript', 'openapi.json', '--output', 'generated.ts'],
    output: 'generated.ts',
    names: (operation) => new RegExp(`^    ${operation}: \\{$`, 'm'),
  },
  orval: {
    packages: ['orval@8.30.0', 'typescript@6.0.3'],
    args: ['orval', '--input', './openapi.json', '--output', './generated.ts', '--client', 'fetch'],
    output: 'generated.ts',
    names: (operation) => new RegExp(`^export const ${operation} = `, 'm'),
  },
}

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'banyan-generators-'))
})
after(() => rm(root, { recursive: true, force: true }))

describe('openapi.json, unchanged', () => {
  for (const [name, { packages, args, output, names }] of Object.entries(GENERATORS)) {
    it(`is taken by ${name} (${packages.join(', ')}): every operation is there, and it compiles under strict`, async () => {
      const folder = await emptyProject(join(root, name))
      await npm(['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], folder)
      await copyFile(new URL('../../openapi.json', import.meta.url), join(folder, 'openapi.json'))
      await run(join(folder, 'node_modules/.bin', String(args[0])), args.slice(1), { cwd: folder })
      const text = await readFile(join(folder, output), 'utf8')
      assert.deepEqual(
        operations.filter((operation) => !names(operation).test(text)),
        [],
      )
      const compilerOptions = {
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable'],
        module: 'esnext',
        moduleResolution: 'bundler',
        types: [],
        strict: true,
        noEmit: true,
      }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [output] }))
      await run(TSC, ['-p', '.'], { cwd: folder })
    })
  }
})

/**
 * A class with a method for each operation, made when it runs; it checks what is sent and received against the document.
 * The library keeps results by addresses in memory, which Perl uses again: about every fifth reading of a valid document
 * fails. An invalid one fails every time, so the program reads the document until it is accepted, at most twenty times.
 */
const PERL = String.raw`
use strict; use warnings; use OpenAPI::Client;
my $banyan;
for (1 .. 20) { last if $banyan = eval { OpenAPI::Client->new("file://$ENV{DOCUMENT}", base_url => $ENV{BANYAN_URL}) } }
die $@ unless $banyan;
my $authorization = "Basic $ENV{BASIC_TOKEN}";
$banyan->ua->on(start => sub { $_[1]->req->headers->authorization($authorization) });

sub sent {
  my $tx = shift;
  die join(" ", $tx->req->url, $tx->res->code // 0, $tx->res->body), "\n" unless $tx->res->is_success;
  return $tx->res->json;
}
print join(",", map { $_->{operation_id} } @{$banyan->validator->routes}), "\n";
my $json = { grant_type => "client_credentials" };
$authorization = "Bearer " . sent($banyan->exchangeCredential({}, json => $json))->{access_token};
my $phone = { phone_country_code => "+91", phone_number => "9812340010", first_name => "Asha Devi" };
my $user_id = sent($banyan->issueToken({}, json => $phone))->{user_id};
my $plan = { benefit_id => $ENV{BENEFIT_ID}, plan_code => "FAMILY_5L", start_date => $ENV{TODAY}, dependant_ids => [] };
my $policy = sent($banyan->enrolInsurancePolicy({ user_id => $user_id }, json => $plan));
my $path = { user_id => $user_id, insurance_policy_id => $policy->{id} };
print sent($banyan->readInsurancePolicyStatus($path))->{status}, "\n";
`

/** What JSON::Validator would read from the web: the schema of OpenAPI 3.1 is that of the linter; the dialects add nothing to it. */
async function fillCache(folder: string): Promise<void> {
  const rules = new URL('../../node_modules/@stoplight/spectral-rulesets/dist/oas/schemas/oas/v3.1/', import.meta.url)
  const schema = JSON.parse(await readFile(new URL('index.json', rules), 'utf8')) as object
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  const texts = {
    'https://spec.openapis.org/oas/3.1/schema/2021-05-20': schema,
    'https://spec.openapis.org/oas/3.1/dialect/base': {},
    'https://spec.openapis.org/oas/3.1/meta/base': {},
  }
  await mkdir(folder)
  for (const [$id, text] of Object.entries(texts))
    await writeFile(
      join(folder, createHash('md5').update($id).digest('hex')),
      JSON.stringify({ $schema, ...text, $id }),
    )
}

/** Where Debian's Perl finds the modules of unpacked packages. */
async function modulesIn(unpacked: string): Promise<string> {
  const compiled = join(unpacked, 'usr/lib', `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`, 'perl5')
  return [join(unpacked, 'usr/share/perl5'), ...(await readdir(compiled)).map((one) => join(compiled, one))].join(':')
}

describe('openapi.json in another language', () => {
  it('makes a client in Perl (OpenAPI::Client of Debian) with every operation, which enrols somebody', async () => {
    const workspace = await newWorkspaceWithDatabase()
    const [unpacked, server] = await Promise.all([unpackPackages(['libopenapi-client-perl']), startServer(workspace)])
    try {
      const { stdout } = await runCommand(['demo', '--json'], workspace.environment)
      const demo = JSON.parse(stdout) as Demo
      const cache = join(root, 'perl-cache')
      await fillCache(cache)
      const env = {
        PERL5LIB: await modulesIn(unpacked),
        JSON_VALIDATOR_CACHE_PATH: cache,
        DOCUMENT: new URL('../../openapi.json', import.meta.url).pathname,
        BANYAN_URL: workspace.origin,
        BASIC_TOKEN: demo.platform.basic_token,
        BENEFIT_ID: demo.benefit_id,
        TODAY: new Date().toISOString().slice(0, 10),
      }
      const [found = '', status] = (await run('/usr/bin/perl', ['-e', PERL], { cwd: root, env })).split('\n')
      assert.deepEqual(found.split(',').toSorted(), operations.toSorted())
      assert.equal(status, 'PENDING')
    } finally {
      await server.stop()
      await workspace.remove()
    }
  })
})
