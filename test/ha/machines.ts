import { execFile, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onFileEnd } from '#test/on-file-end.ts'

const run = promisify(execFile)
const bridge = 'vouchers-ha'
/** The address of this process in the network of the machines. */
const here = '10.77.0.254'

/** A machine of the cluster: a network namespace with an address of its own. */
export type Machine = {
  name: string
  address: string
  /** The name of the network namespace. */
  space: string
  /** Starts a program on this machine, as the user `postgres`. Its output goes to a file. */
  start(program: string, args: string[], env: Record<string, string>, log: string): void
  /** Runs a program on this machine and returns its output; empty if it fails. */
  output(program: string, args: string[], env: Record<string, string>): Promise<string>
  /** Sends a signal to all processes on this machine, or to those with a program of this name. */
  signal(signal: NodeJS.Signals, program?: string): Promise<void>
  /** Takes the machine off the network: nothing that is sent arrives, and nobody is told. */
  unplug(): Promise<void>
  plug(): Promise<void>
}

/** Machines in one network, which only this machine sees. Needs root. What an earlier run left behind is removed. */
export async function startMachines(names: string[]): Promise<Machine[]> {
  const remove = async () => {
    for (const name of names) {
      await signalAll(name, 'SIGKILL')
      await ip('link', 'del', cableOf(name)).catch(() => {}) // the namespace may outlive its name by minutes
      await ip('netns', 'del', namespaceOf(name)).catch(() => {})
    }
    await ip('link', 'del', bridge).catch(() => {})
  }
  await remove()
  await ip('link', 'add', bridge, 'type', 'bridge')
  onFileEnd(remove)
  await ip('addr', 'add', `${here}/24`, 'dev', bridge)
  await ip('link', 'set', bridge, 'up')
  return Promise.all(names.map((name, i) => startMachine(name, `10.77.0.${i + 1}`)))
}

async function startMachine(name: string, address: string): Promise<Machine> {
  const [space, cable] = [namespaceOf(name), cableOf(name)]
  await ip('netns', 'add', space)
  await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space)
  await ip('link', 'set', cable, 'master', bridge, 'up')
  await ip('-n', space, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  await ip('-n', space, 'link', 'set', 'eth0', 'up')
  await ip('-n', space, 'link', 'set', 'lo', 'up')
  return {
    name,
    address,
    space,
    start(program, args, env, log) {
      const as = ['--reuid=postgres', '--regid=postgres', '--init-groups', program, ...args]
      const output = openSync(log, 'a')
      spawn('ip', ['netns', 'exec', space, 'setpriv', ...as], { env, stdio: ['ignore', output, output] }).on(
        'error',
        () => {},
      )
    },
    output: (program, args, env) =>
      run('ip', ['netns', 'exec', space, program, ...args], { env: { PATH: process.env['PATH'], ...env } }).then(
        ({ stdout }) => stdout,
        () => '',
      ),
    signal: (signal, program) => signalAll(name, signal, program),
    unplug: () => ip('link', 'set', cable, 'nomaster'),
    plug: () => ip('link', 'set', cable, 'master', bridge),
  }
}

function namespaceOf(name: string): string {
  return `vouchers-ha-${name}`
}

function cableOf(name: string): string {
  return `vouchers-${name}`
}

async function ip(...args: string[]): Promise<void> {
  await run('ip', args)
}

async function signalAll(name: string, signal: NodeJS.Signals, program?: string): Promise<void> {
  const list = async () => {
    const { stdout } = await run('ip', ['netns', 'pids', namespaceOf(name)]).catch(() => ({ stdout: '' }))
    const all = stdout.split('\n').filter(Boolean)
    if (program === undefined) return all
    const { stdout: named } = await run('ps', ['-o', 'pid=,args=', '-p', all.join()]).catch(() => ({ stdout: '' }))
    return named.split('\n').flatMap((line) => (line.includes(program) ? [line.trim().split(' ')[0] as string] : []))
  }
  for (const pid of await list()) {
    try {
      process.kill(Number(pid), signal)
    } catch {
      // it has ended meanwhile
    }
  }
  if (signal === 'SIGKILL') while ((await list()).length > 0) await pause(50)
}
