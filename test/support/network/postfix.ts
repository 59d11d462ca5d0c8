import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../data/local-servers.ts'
import { onFileEnd } from '../on-file-end.ts'
import type { IssuedCertificate } from './certificate-authority.ts'

const programs = '/usr/lib/postfix/sbin'

/** Postfix needs root, because its parts run under several accounts. */
export const canStartPostfix = process.getuid?.() === 0

export type Postfix = {
  port: number
  /** The messages that arrived, unchanged. */
  mailbox(): Buffer[]
}

/**
 * Starts Postfix with a configuration, a queue and a mailbox of its own, on loopback and without its system service. It requires
 * STARTTLS, takes mail for `guest@mail.example`, and delivers it into the mailbox. It relays nothing.
 */
export async function startPostfix(certificate: IssuedCertificate): Promise<Postfix> {
  if (!existsSync(`${programs}/master`))
    throw new Error('Postfix is not installed. Run .ci/services, or install the package postfix')
  const folder = mkdtempSync(join(tmpdir(), 'postfix-'))
  const port = await freePort()
  const account = (name: string) => {
    const [, , uid, gid] =
      readFileSync('/etc/passwd', 'utf8')
        .match(new RegExp(`^${name}:.*$`, 'm'))?.[0]
        .split(':') ?? []
    return { uid: Number(uid), gid: Number(gid) }
  }
  const postfix = account('postfix')
  chmodSync(folder, 0o755)
  for (const name of ['config', 'queue', 'data', 'mail']) mkdirSync(join(folder, name))
  for (const name of ['data', 'mail']) chownSync(join(folder, name), postfix.uid, postfix.gid)
  writeFileSync(join(folder, 'key.pem'), certificate.key + certificate.certificate)
  writeFileSync(join(folder, 'config/main.cf'), mainSettings(folder, postfix))
  writeFileSync(join(folder, 'config/master.cf'), services(port))
  await run('/usr/sbin/postfix', ['-c', join(folder, 'config'), 'check'])

  const master = spawn(`${programs}/master`, ['-c', join(folder, 'config'), '-d'], { stdio: 'ignore' })
  const exited = once(master, 'exit')
  onFileEnd(async () => {
    master.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 600 || master.exitCode !== null) throw new Error('Postfix does not answer')
    await pause(50)
  }
  return {
    port,
    mailbox: () => globSync(join(folder, 'mail/guest/new/*')).map((path) => readFileSync(path)),
  }
}

function mainSettings(folder: string, { uid, gid }: { uid: number; gid: number }): string {
  return Object.entries({
    compatibility_level: '3.6',
    queue_directory: `${folder}/queue`,
    data_directory: `${folder}/data`,
    command_directory: '/usr/sbin',
    daemon_directory: programs,
    mail_owner: 'postfix',
    setgid_group: 'postdrop',
    maillog_file: '/dev/null',
    maillog_file_prefixes: '/dev',
    myhostname: 'mail.example',
    mydestination: '',
    mynetworks: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    relayhost: '',
    default_transport: 'error:nothing leaves this machine',
    alias_maps: '',
    local_recipient_maps: '',
    virtual_mailbox_domains: 'mail.example',
    virtual_mailbox_base: `${folder}/mail`,
    virtual_mailbox_maps: 'inline:{ guest@mail.example=guest/ }',
    virtual_uid_maps: `static:${uid}`,
    virtual_gid_maps: `static:${gid}`,
    virtual_minimum_uid: '1',
    smtpd_relay_restrictions: 'reject_unauth_destination',
    smtpd_tls_chain_files: `${folder}/key.pem`,
    smtpd_tls_security_level: 'encrypt',
  })
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')
}

/** The parts that receive a message and deliver it into a mailbox. */
function services(port: number): string {
  const rows = [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'anvil unix - - n - 1 anvil',
    'proxymap unix - - n - - proxymap',
    'error unix - - n - - error',
    'discard unix - - n - - discard',
    'virtual unix - n n - - virtual',
    'local unix - n n - - local',
    'postlog unix-dgram n - n - 1 postlogd',
  ]
  return `${rows.join('\n')}\n`
}

async function run(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said}`)
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', () => resolve(true)).on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('data', () => socket.destroy())
  })
}
