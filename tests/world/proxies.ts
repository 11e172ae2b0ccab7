import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { serverAccount } from '../../src/kernel/embedded-postgres/embedded-home.ts'
import { within } from '../support/deadline.ts'
import { findProgram } from '../support/debian-packages.ts'
import { freePorts } from '../support/server.ts'

const START_MS_MAX = 30_000

/** A program that stands before a server at a port of this machine. */
export type Proxy = { port: number; stop(): Promise<void> }

type Before = { folder: string; port: number }

const lines = (settings: Record<string, string | number>, quote = '') =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${quote}${value}${quote}`)
    .join('\n')

/** PgBouncer as installed, with what is usually added for the settings of a connection. */
export async function startPgBouncer(
  before: Before,
  { mode, ignored = 'options' }: { mode: 'session' | 'transaction'; ignored?: string },
): Promise<Proxy> {
  const [port = 0] = await freePorts(1)
  const { folder } = before
  const settings = lines({
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'roles.txt'),
    pool_mode: mode,
    default_pool_size: 40,
    ...(ignored !== '' && { ignore_startup_parameters: ignored }),
  })
  const databases = `[databases]\nbanyan = host=127.0.0.1 port=${before.port} dbname=banyan\n\n[pgbouncer]\n`
  const files = { 'pgbouncer.ini': `${databases}${settings}\n`, 'roles.txt': '"banyan_app" ""\n"banyan_owner" ""\n' }
  const program = await findProgram('pgbouncer', 'usr/sbin/pgbouncer')
  return launch({ program, args: ['-q', join(folder, 'pgbouncer.ini')], folder, files, port })
}

/** Pgpool-II before one server, which it passes everything on to. */
export async function startPgpool({ folder, port: backend }: Before): Promise<Proxy> {
  const [port = 0, pcp_port = 0] = await freePorts(2)
  const settings = lines(
    {
      backend_clustering_mode: 'raw',
      listen_addresses: '127.0.0.1',
      port,
      socket_dir: folder, // before pgpool-II 4.4
      unix_socket_directories: folder,
      pcp_listen_addresses: '127.0.0.1',
      pcp_port,
      pcp_socket_dir: folder,
      pid_file_name: join(folder, 'pgpool.pid'),
      work_dir: folder,
      logdir: folder,
      num_init_children: 16,
      backend_hostname0: '127.0.0.1',
      backend_port0: backend,
      backend_weight0: 1,
      backend_flag0: 'ALWAYS_PRIMARY',
      health_check_period: 0,
      sr_check_period: 0,
    },
    "'",
  )
  const files = { 'pgpool.conf': settings, 'pcp.conf': '', 'pool_hba.conf': '' }
  const program = await findProgram('pgpool2', 'usr/sbin/pgpool')
  const args = [
    '-n',
    '-f',
    join(folder, 'pgpool.conf'),
    '-F',
    join(folder, 'pcp.conf'),
    '-a',
    join(folder, 'pool_hba.conf'),
  ]
  return launch({ program, args, folder, files, port })
}

/** nginx as guides set it up, with compression of JSON. */
export async function startNginx({ folder, port: backend }: Before): Promise<Proxy> {
  const [port = 0] = await freePorts(1)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  const text = `pid nginx.pid; error_log stderr; worker_processes 1; daemon off; events {}
    http { ${temporary.join(' ')} access_log off; gzip on; gzip_types application/json; gzip_proxied any; gzip_min_length 1;
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${backend}; proxy_http_version 1.1; } } }\n`
  const program = await findProgram('nginx', 'usr/sbin/nginx')
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  return launch({ program, args, folder, files: { 'nginx.conf': text }, port })
}

/** HAProxy with compression of JSON. */
export async function startHaproxy({ folder, port: backend }: Before): Promise<Proxy> {
  const [port = 0] = await freePorts(1)
  const text = `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen api
  bind 127.0.0.1:${port}
  compression algo gzip
  compression type application/json
  server one 127.0.0.1:${backend}\n`
  const program = await findProgram('haproxy', 'usr/sbin/haproxy')
  const args = ['-db', '-f', join(folder, 'haproxy.cfg')]
  return launch({ program, args, folder, files: { 'haproxy.cfg': text }, port })
}

type Launch = {
  program: Awaited<ReturnType<typeof findProgram>>
  args: string[]
  folder: string
  files: Record<string, string>
  port: number
}

/** None runs as root. */
async function launch({ program, args, folder, files, port }: Launch): Promise<Proxy> {
  const account = serverAccount()
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid)
  const environment = { PATH: process.env['PATH'] ?? '', ...program.environment }
  const child: ChildProcess = spawn(program.path, args, { ...account, cwd: folder, env: environment })
  const ended = once(child, 'exit')
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdout?.resume()
  const stopped = ended.then(() => Promise.reject(new Error('it has ended')))
  await Promise.race([within(START_MS_MAX, () => isOpen(port)), stopped]).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`${program.path} did not start: ${output}`, { cause: error })
  })
  return {
    port,
    stop: async () => {
      child.kill('SIGINT')
      await ended
    },
  }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
