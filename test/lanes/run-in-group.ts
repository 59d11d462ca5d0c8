import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'

const killAfterMs = 10_000

type Run = {
  command: [program: string, ...args: string[]]
  cwd: string
  env: NodeJS.ProcessEnv
  /** The file that gets the output. */
  log: string
  /** Ends the processes. */
  signal: AbortSignal
  onStart?: (group: number) => void
}

/** Runs a command in a process group of its own. Resolves with its exit code, after all processes of the group have ended. */
export async function runInGroup(run: Run): Promise<number | null> {
  const output = openSync(run.log, 'w')
  const [program, ...args] = run.command
  const child = spawn(program, args, {
    cwd: run.cwd,
    env: { ...environmentOutsideNpm(), ...run.env },
    stdio: ['ignore', output, output],
    detached: true, // a group of its own, so that all its processes can be ended together
  })
  closeSync(output)
  const ended = once(child, 'exit') as Promise<[number | null]>
  run.onStart?.(child.pid as number)
  const endGroup = (signal: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid as number), signal)
    } catch {} // all its processes have ended
  }
  const stop = () => {
    endGroup('SIGTERM')
    setTimeout(() => endGroup('SIGKILL'), killAfterMs).unref()
  }
  run.signal.addEventListener('abort', stop)
  const [code] = await ended
  run.signal.removeEventListener('abort', stop)
  endGroup('SIGKILL')
  return code
}

/** `npm run` describes this package in variables, which npm would also read in another clone. */
function environmentOutsideNpm(): NodeJS.ProcessEnv {
  const isOfThisPackage = (name: string) => /^(npm_(package|lifecycle|command)|npm_config_local_prefix$)/.test(name)
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfThisPackage(name)))
}
