import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { accountOfServers } from '#test/data/local-servers.ts'
import { processEnvironment, testEnvironment } from '#test/environment.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { program } from '#test/service.ts'
import type { ShellRun } from '../docs/shell-blocks.ts'
import { type Machine, startMachines } from './machines.ts'

const files = fileURLToPath(new URL('../../deploy/pgbackrest/', import.meta.url))
/** Each machine has folders of its own at these paths. */
const ownFolders = [
  ...['/var/lib/postgresql', '/var/log/postgresql', '/run/postgresql', '/var/lib/pgbackrest'],
  ...['/var/log/pgbackrest', '/var/spool/pgbackrest', '/tmp'],
]
const repositoryMiB = 600

/** A machine with the folders of Debian's PostgreSQL and pgBackRest, in which blocks of the documentation run unchanged. */
export type DebianMachine = Machine & {
  /** Its folder `/`, where its own files are. */
  root: string
  /** Runs a block as root, as a person pastes it. Addresses of the documentation become those of this network. */
  run(block: string, env?: Record<string, string>): Promise<ShellRun>
  /** As `run`. Throws if the block fails. */
  succeed(block: string, env?: Record<string, string>): Promise<ShellRun>
}

/** Two machines, with the addresses of the documentation: the database and the repository of its backups. */
export async function startDebianMachines(): Promise<[DebianMachine, DebianMachine]> {
  const folder = mkdtempSync('/dev/shm/vouchers-pgbackrest-')
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('chmod', ['755', folder])
  const [database, repository] = (await startMachines(['a', 'b'])) as [Machine, Machine]
  const [a, b] = [prepare(database, folder), prepare(repository, folder)]
  const disk = join(b.root, '/var/lib/pgbackrest')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${repositoryMiB}m,uid=${accountOfServers().uid}`, 'tmpfs', disk])
  onFileEnd(async () => {
    await b.signal('SIGKILL')
    execFileSync('umount', ['--lazy', disk])
  })
  return [a, b]
}

function prepare(machine: Machine, folder: string): DebianMachine {
  const root = join(folder, machine.name)
  const { uid, gid } = accountOfServers()
  for (const own of ownFolders) {
    mkdirSync(join(root, own), { recursive: true })
    execFileSync('chown', [`${uid}:${gid}`, join(root, own)])
  }
  execFileSync('chmod', ['1777', join(root, '/tmp')])
  execFileSync('cp', ['--archive', '/etc/.', join(root, 'etc')])
  rmSync(join(root, 'etc/postgresql'), { recursive: true, force: true })
  mkdirSync(join(root, 'etc/postgresql'))
  execFileSync('chown', [`${uid}:${gid}`, join(root, 'etc/postgresql')])
  const bin = join(root, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries(shims)) writeFileSync(join(bin, name), script, { mode: 0o755 })
  const mounts = ['/etc', ...ownFolders].map((path) => `mount --bind ${root}${path} ${path}`).join(' && ')
  const begin = ['netns', 'exec', machine.space, 'unshare', '--mount', '--propagation', 'private']

  function run(block: string, more: Record<string, string> = {}): Promise<ShellRun> {
    const text = block.replaceAll('10.0.0.', '10.77.0.')
    const env = { ...processEnvironment, ...testEnvironment(''), ...more, PATH: `${bin}:${process.env['PATH']}` }
    const inside = `${mounts} && cd ${bin} && exec bash -euc "$1"`
    return new Promise((resolve) => {
      execFile('ip', [...begin, 'sh', '-c', inside, 'sh', text], { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
      )
    })
  }

  async function succeed(block: string, env?: Record<string, string>): Promise<ShellRun> {
    const ran = await run(block, env)
    if (ran.code !== 0) throw new Error(`${block}\nended with ${ran.code}: ${ran.stdout}${ran.stderr}`)
    return ran
  }

  return { ...machine, root, run, succeed }
}

/** Writes a file of `deploy/pgbackrest` to a path of the machine, with the addresses of this network. */
export async function install({ root, succeed }: DebianMachine, file: string, path: string): Promise<void> {
  const text = readFileSync(join(files, file), 'utf8').replaceAll('10.0.0.', '10.77.0.')
  writeFileSync(join(root, path), text)
  await succeed(`chown postgres: ${path}; chmod 600 ${path}`)
}

/** Programs that replace those that need a running systemd, or a person in the list of sudo. */
const shims = {
  'voucher-service': `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`,
  sudo: '#!/bin/sh\n[ "$1" = -u ] || exec "$@"\nuser=$2\nshift 2\nexec setpriv --reuid=$user --regid=$user --init-groups "$@"\n',
  systemctl: `#!/bin/bash
case "$*" in
  'start postgresql@15-main') pg_ctlcluster --skip-systemctl-redirect 15 main start ;;
  'stop postgresql@15-main') pg_ctlcluster --skip-systemctl-redirect -m fast 15 main stop || [ $? = 2 ] ;; # 2: it does not run
  'restart postgresql@15-main') pg_ctlcluster --skip-systemctl-redirect -m fast 15 main restart ;;
  'enable --now pgbackrest') setsid sudo -u postgres pgbackrest server </dev/null >/dev/null 2>&1 & ;;
  'enable --now pgbackrest-backup.timer') test -f /etc/systemd/system/pgbackrest-backup.timer ;;
  'start pgbackrest-backup.service')
    sudo -u postgres $(sed -n 's/^ExecStart=//p' /etc/systemd/system/pgbackrest-backup.service) ;;
  *) echo "no such unit: $*" >&2; exit 1 ;;
esac
`,
}
