import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { supervise } from '../faults/processes.ts'
import type { Closers } from '../faults/stage.ts'
import { findProgram } from '../support/debian-packages.ts'
import { run } from '../support/packed-client.ts'
import { freePorts } from '../support/server.ts'
import { readText } from '../support/sources.ts'
import type { Api } from './apis.ts'

const NAME = 'api.example.org'
const REPLACE_MS_MAX = 300_000

/** A balancer that runs with the configuration that we ship. */
export type Balancer = {
  name: string
  port: number
  /** Replaces an API with the script that we ship. */
  replace(index: number): Promise<void>
}

/** Replaces parts of a file that we ship by what this machine has; each must be there. */
function adapted(path: string, parts: [shipped: string, here: string][]): string {
  return parts.reduce((text, [shipped, here]) => {
    assert(text.includes(shipped), `${path} has ${shipped}`)
    return text.replaceAll(shipped, here)
  }, readText(path))
}

/** Makes a certificate for our example's name. Clients take the certificate itself as their authority. */
export async function makeCertificate(folder: string) {
  const [key, certificate] = [join(folder, 'tls.key'), join(folder, 'tls.pem')]
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`]
  await run('openssl', [...args, ...names, '-keyout', key, '-out', certificate], { cwd: folder })
  return { key, certificate }
}

type Certificate = Awaited<ReturnType<typeof makeCertificate>>
type Opening = { folder: string; apis: Api[]; certificate: Certificate; closers: Closers }

export async function startNginx({ folder: parent, apis, certificate, closers }: Opening): Promise<Balancer> {
  const program = await findProgram('nginx', 'usr/sbin/nginx')
  const folder = join(parent, 'nginx')
  await mkdir(folder)
  const [port = 0, plainPort = 0] = await freePorts(2)
  const nodes = join(folder, 'banyan-nodes.conf')
  const shipped = adapted('deploy/nginx/banyan.conf', [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['/etc/nginx/banyan-nodes.conf', nodes],
    [`/etc/nginx/tls/${NAME}.pem`, certificate.certificate],
    [`/etc/nginx/tls/${NAME}.key`, certificate.key],
  ])
  await writeFile(join(folder, 'banyan.conf'), shipped)
  const shippedNodes = adapted(
    'deploy/nginx/banyan-nodes.conf',
    apis.map(({ address }, index) => [`127.0.0.1:${8081 + index}`, address]),
  )
  await writeFile(nodes, shippedNodes)
  const configuration = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  await writeFile(
    configuration,
    [
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      `pid ${join(folder, 'nginx.pid')};`,
      'worker_processes 1;',
      'events {}',
      `http { ${temporary.join(' ')} include ${join(folder, 'banyan.conf')}; }`,
      '',
    ].join('\n'),
  )
  const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', configuration]
  const options = { cwd: folder, env: { ...process.env, ...program.environment } }
  await promisify(execFile)(program.path, [...args, '-t'], options)
  const nginx = supervise({
    name: 'nginx',
    command: program.path,
    args: [...args, '-g', 'daemon off;'],
    options,
    log: join(folder, 'output.log'),
    isReady: () => accepts(port),
  })
  closers.push(nginx.stop)
  await nginx.whenReady()
  const environment = {
    ...program.environment,
    NGINX_NODES: nodes,
    NGINX_PID: join(folder, 'nginx.pid'),
    NGINX_RELOAD: [program.path, ...args, '-s', 'reload'].join(' '),
  }
  const replace = async (index: number) => {
    const { address, replaceUrl } = apis[index] as Api
    await runScript('deploy/nginx/replace-api', [address, ...post(replaceUrl)], environment, folder)
  }
  return { name: 'nginx', port, replace }
}

export async function startHaproxy({ folder: parent, apis, certificate, closers }: Opening): Promise<Balancer> {
  const [program, socat] = await Promise.all([
    findProgram('haproxy', 'usr/sbin/haproxy'),
    findProgram('socat', 'usr/bin/socat'),
  ])
  const folder = join(parent, 'haproxy')
  await mkdir(folder)
  const [port = 0] = await freePorts(1)
  const pem = join(folder, 'both.pem')
  for (const part of [certificate.certificate, certificate.key]) await appendFile(pem, await readFile(part))
  const socket = join(folder, 'admin.sock')
  const configuration = join(folder, 'haproxy.cfg')
  const shipped = adapted('deploy/haproxy/haproxy.cfg', [
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['/run/haproxy/admin.sock', socket],
    [`/etc/haproxy/tls/${NAME}.pem`, pem],
    ...apis.map(({ address }, index): [string, string] => [`127.0.0.1:${8081 + index}`, address]),
  ])
  await writeFile(configuration, shipped)
  const options = { cwd: folder, env: { ...process.env, ...program.environment } }
  await promisify(execFile)(program.path, ['-c', '-f', configuration], options)
  const haproxy = supervise({
    name: 'haproxy',
    command: program.path,
    args: ['-db', '-f', configuration],
    options,
    log: join(folder, 'output.log'),
    stopSignal: 'SIGUSR1',
    isReady: () => accepts(port),
  })
  closers.push(haproxy.stop)
  await haproxy.whenReady()
  const environment = {
    ...socat.environment,
    HAPROXY_SOCKET: socket,
    PATH: `${join(socat.path, '..')}:${process.env['PATH'] ?? ''}`,
  }
  const replace = async (index: number) => {
    const { replaceUrl } = apis[index] as Api
    await runScript('deploy/haproxy/replace-api', [`nodes/api-${index + 1}`, ...post(replaceUrl)], environment, folder)
  }
  return { name: 'haproxy', port, replace }
}

const post = (url: string) => ['curl', '-fsS', '-X', 'POST', url]

async function runScript(path: string, args: string[], environment: Record<string, string>, cwd: string) {
  const file = new URL(`../../${path}`, import.meta.url).pathname
  const env = { ...process.env, ...environment }
  await promisify(execFile)(file, args, { cwd, env, timeout: REPLACE_MS_MAX })
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.end())
  })
