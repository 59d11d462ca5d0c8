import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '#test/data/local-servers.ts'
import { createCertificateAuthority } from '#test/network/certificate-authority.ts'
import { onFileEnd } from '#test/on-file-end.ts'

export const host = 'vouchers.example.com'

/** The host names of the cells in `deploy/router/hosts.map`. */
export const hostOfCell = { A: `a.${host}`, B: `b.${host}` }

export type RunningProxy = {
  /** Ports of the proxy on 127.0.0.1. Requests need the name `vouchers.example.com`, or the name of a cell. */
  httpPort: number
  httpsPort: number
  /** The certificate authority that signed the certificate of the proxy. */
  ca: string
  /** The text that the proxy has written to its log files and to its terminal. */
  readLogs(): string
}

type Prepared = Omit<RunningProxy, 'readLogs'> & { folder: string; certificate: string; key: string }

const readDeployed = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url)), 'utf8')

/** Starts nginx with the file in `deploy` in front of two apis. */
export async function startNginx(apis: string[]): Promise<RunningProxy> {
  const prepared = await prepare()
  const { folder, httpPort, httpsPort, certificate, key } = prepared
  const site = replaceEach(readDeployed('nginx/voucher-service.conf'), [
    ['127.0.0.1:8080', hostOf(apis[0])],
    ['127.0.0.1:8081', hostOf(apis[1])],
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen [::]:80;', `listen 127.0.0.2:${httpPort};`],
    ['listen 443 ', `listen 127.0.0.1:${httpsPort} `],
    ['listen [::]:443 ', `listen 127.0.0.2:${httpsPort} `],
    [`/etc/letsencrypt/live/${host}/fullchain.pem`, certificate],
    [`/etc/letsencrypt/live/${host}/privkey.pem`, key],
    ['/var/log/nginx', folder],
  ])
  writeFileSync(join(folder, 'site.conf'), site)
  const ownFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; user root; worker_processes 2; pid ${folder}/pid; error_log ${folder}/nginx.error.log;
     events {} http { ${ownFolders.join(' ')} include ${folder}/site.conf; }`,
  )
  const child = spawn('/usr/sbin/nginx', ['-e', `${folder}/start.log`, '-c', join(folder, 'nginx.conf')])
  return started(child, prepared, ['voucher-service.log', 'voucher-service.error.log', 'nginx.error.log'])
}

/** Starts Caddy with the file in `deploy` in front of two apis. */
export async function startCaddy(apis: string[]): Promise<RunningProxy> {
  const prepared = await prepare()
  const { folder, httpPort, httpsPort, certificate, key } = prepared
  const site = replaceEach(readDeployed('caddy/Caddyfile'), [
    ['127.0.0.1:8080', hostOf(apis[0])],
    ['127.0.0.1:8081', hostOf(apis[1])],
    ['\tlog default {', `\tadmin off\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n\tlog default {`],
    [`\n${host} {`, `\n${host} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`],
    ['/var/log/caddy', folder],
  ])
  writeFileSync(join(folder, 'Caddyfile'), site)
  const child = spawn('/usr/bin/caddy', ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], {
    env: { HOME: folder },
  })
  return started(child, prepared, ['voucher-service.log'])
}

/** Starts HAProxy with the files in `deploy`, as if two apis were the only cell. */
export const startHaproxy = (apis: string[]) => startRouter({ A: apis, B: apis })

/** The apis of each cell, and lines that are added to `keys.map`. */
type Cells = { A: string[]; B: string[]; keys?: string }

/** Starts HAProxy with the files in `deploy` in front of two cells with two apis each. */
export async function startRouter({ A, B, keys = '' }: Cells): Promise<RunningProxy> {
  const prepared = await prepare()
  const { folder, httpPort, httpsPort, certificate, key } = prepared
  for (const name of ['hosts.map', 'sites.map']) writeFileSync(join(folder, name), readDeployed(`router/${name}`))
  writeFileSync(join(folder, 'keys.map'), `${readDeployed('router/keys.map')}${keys}\n`)
  writeFileSync(join(folder, 'vouchers.pem'), readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
  const router = replaceEach(readDeployed('router/haproxy.cfg'), [
    ['10.0.1.1:8080', hostOf(A[0])],
    ['10.0.1.2:8080', hostOf(A[1])],
    ['10.0.2.1:8080', hostOf(B[0])],
    ['10.0.2.2:8080', hostOf(B[1])],
    ['bind :80\n', `bind 127.0.0.1:${httpPort}\n`],
    ['bind :443 ', `bind 127.0.0.1:${httpsPort} `],
    ['/etc/haproxy', folder],
    ['log /dev/log local0', 'log stdout format raw local0'],
    ['user haproxy', 'user root'],
    ['group haproxy', 'group root'],
  ])
  writeFileSync(join(folder, 'haproxy.cfg'), router)
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')])
  return started(child, prepared, [])
}

async function prepare(): Promise<Prepared> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'))
  const authority = await createCertificateAuthority()
  const issued = await authority.issue({ commonName: host, hosts: [host, ...Object.values(hostOfCell)] })
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  writeFileSync(certificate, issued.certificate)
  writeFileSync(key, issued.key)
  return {
    folder,
    certificate,
    key,
    ca: authority.certificate,
    httpPort: await freePort(),
    httpsPort: await freePort(),
  }
}

/** Replaces the addresses and paths of the file. Each must be in it, so that a change of the file is noticed. */
function replaceEach(file: string, pairs: [string, string][]): string {
  return pairs.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The file does not contain "${from}"`)
    return text.replaceAll(from, to)
  }, file)
}

function hostOf(url: string | undefined): string {
  return new URL(url as string).host
}

async function started(child: ChildProcess, { folder, ...proxy }: Prepared, logFiles: string[]): Promise<RunningProxy> {
  let terminal = ''
  child.stdout?.on('data', (chunk) => (terminal += chunk))
  child.stderr?.on('data', (chunk) => (terminal += chunk))
  const ended = once(child, 'exit')
  onFileEnd(async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  })
  const logOf = (name: string) => {
    try {
      return readFileSync(join(folder, name), 'utf8')
    } catch {
      return '' // nothing was logged yet
    }
  }
  // Caddy opens the port for HTTPS first, and the one for HTTP later.
  while (!(await isListening(proxy.httpsPort)) || !(await isListening(proxy.httpPort))) {
    if (child.exitCode !== null) throw new Error(`The proxy ended: ${terminal} ${logFiles.map(logOf).join('\n')}`)
    await pause(50)
  }
  return { ...proxy, readLogs: () => [...logFiles.map(logOf), terminal].join('\n') }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isUp = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isUp
}
