import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { accountOfServers, postgresProgram } from '#test/data/local-servers.ts'
import { onFileEnd } from '#test/on-file-end.ts'

/** The account `nobody`: it owns nothing but its home. */
const user = 65_534

export type CleanMachine = {
  /** The only folder that the user can write to. */
  home: string
  /** Runs a script in bash as the user. With `readOnlyHome`, the user can write nowhere. */
  run(script: string, options?: { cwd?: string; readOnlyHome?: boolean }): UserShell
  /** A program that starts Chromium inside the machine. */
  chromium: string
}

type UserShell = {
  process: ChildProcess
  /** The first line of the output that matches. Rejects if the script ends first. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  ended: Promise<number | null>
  /** Ctrl-C. */
  interrupt(): Promise<number | null>
}

/**
 * Starts a machine as a new user has it: with Node, an empty PostgreSQL on port 5432 and an empty home. Everything else is
 * read-only. The machine is a namespace with its own network, so all ports are free in it, including the usual ones.
 */
export async function startCleanMachine(): Promise<CleanMachine> {
  const folder = mkdtempSync(join(tmpdir(), 'clean-machine-'))
  const [home, tools] = [join(folder, 'home'), join(folder, 'tools')]
  chmodSync(folder, 0o755)
  for (const path of [home, tools]) mkdirSync(path)
  chownSync(home, user, user)
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  const pid = await startNamespace({ home, tools })
  const inNetwork = ['nsenter', `--net=/proc/${pid}/ns/net`]
  await startPostgres(folder, inNetwork)

  // `sudo` is the only tool that the machine imitates: PostgreSQL's administrator is reached by its socket. Other commands run
  // as the user.
  writeProgram(
    join(tools, 'sudo'),
    `[ "$1 $2" != "-u postgres" ] && exec "$@"\nshift 2\nPGHOST='${folder}' PGUSER=postgres exec "$@"`,
  )
  const browser = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell'
  const chromium = writeProgram(join(folder, 'chromium'), `exec ${inNetwork.join(' ')} '${browser}' "$@"`)

  const asUser = `setpriv --reuid=${user} --regid=${user} --clear-groups --bounding-set=-all --no-new-privs`
  return {
    home,
    chromium,
    run(script, { cwd = home, readOnlyHome = false } = {}) {
      const lock = readOnlyHome ? `mount -o remount,bind,ro '${home}' && ` : ''
      const enter = `${lock}cd '${cwd}' && exec ${asUser} bash -euo pipefail -c "$0"`
      const child = spawn(
        'nsenter',
        [`--target=${pid}`, '--mount', '--net', 'unshare', '--mount', 'sh', '-c', enter, script],
        {
          env: { PATH: `${tools}:/usr/bin:/bin`, HOME: home },
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true, // Ctrl-C reaches all processes of the group
        },
      )
      return watch(child)
    },
  }
}

/** Starts a process that holds the namespaces; returns its id. Node appears in `tools`, wherever it is on this machine. */
async function startNamespace({ home, tools }: { home: string; tools: string }): Promise<number> {
  writeFileSync(join(tools, 'node'), '')
  const script = [
    'ip link set lo up',
    `mount --bind '${home}' '${home}'`,
    `mount --bind '${process.execPath}' '${tools}/node'`,
    'mount -o remount,bind,ro /',
    'echo ready',
    'exec sleep infinity',
  ].join(' && ')
  const holder = spawn('unshare', ['--mount', '--net', 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(holder, 'exit')
  onFileEnd(async () => {
    holder.kill('SIGKILL')
    await ended
  })
  const died = ended.then(() => Promise.reject(new Error('No namespace could be made. This test needs root')))
  await Promise.race([once(holder.stdout, 'data'), died])
  died.catch(() => {})
  return holder.pid as number
}

/** Starts PostgreSQL. On its socket nobody needs a password, over TCP everybody needs one. */
async function startPostgres(folder: string, inNetwork: string[]): Promise<void> {
  const { uid = 0, gid = 0 } = accountOfServers()
  const data = join(folder, 'postgres')
  mkdirSync(data)
  chownSync(data, uid, gid)
  chmodSync(folder, 0o1777) // for the socket
  const rights = ['--auth-local', 'trust', '--auth-host', 'scram-sha-256']
  const options = ['--pgdata', data, '--username', 'postgres', '--no-sync', '--encoding', 'UTF8', '--locale', 'C.UTF-8']
  execFileSync(postgresProgram('initdb'), [...options, ...rights], { uid, gid, cwd: '/', stdio: 'pipe' })
  const asPostgres = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const [command, ...args] = [...inNetwork, ...asPostgres, postgresProgram('postgres'), '-D', data, '-k', folder]
  const server = spawn(command as string, [...args, '-h', '127.0.0.1', '-p', '5432', '-c', 'fsync=off'], {
    stdio: 'ignore',
  })
  const ended = once(server, 'exit')
  onFileEnd(async () => {
    server.kill('SIGQUIT')
    await ended
  })
  const isReady = () => {
    try {
      return execFileSync(postgresProgram('pg_isready'), ['--host', folder], { encoding: 'utf8' }).includes('accepting')
    } catch {
      return false
    }
  }
  while (!isReady()) await pause(100)
}

function writeProgram(path: string, script: string): string {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

function watch(child: ChildProcess): UserShell {
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', (line) => lines.push(line))
  let isOver = false
  void ended.then(() => (isOver = true))
  onFileEnd(() => (isOver ? undefined : process.kill(-(child.pid as number), 'SIGKILL')))
  return {
    process: child,
    ended,
    async line(pattern) {
      for (;;) {
        const wasOver = isOver
        const found = lines.map((line) => pattern.exec(line)).find((match) => match !== null)
        if (found) return found
        if (wasOver) throw new Error(`The script ended without ${pattern}:\n${lines.join('\n')}`)
        await pause(20)
      }
    },
    async interrupt() {
      process.kill(-(child.pid as number), 'SIGINT')
      return ended
    },
  }
}
