import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '#test/data/local-servers.ts'
import { processEnvironment, testEnvironment } from '#test/environment.ts'
import { controllerCount, controllerKey, extraSites } from '../seed.ts'

export type Running = { url: string; pid: number; stop(): Promise<void> }

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** `log`: a file for the log, which is discarded without it. */
type ServiceOptions = { program: string; databaseUrl: string; env: Record<string, string>; log?: string }

/** Starts an api of the service. It writes its log as usual. */
export async function startApi({ program, databaseUrl, env, log }: ServiceOptions): Promise<Running> {
  const port = await freePort()
  const settings = testEnvironment(databaseUrl, { ...env, PORT: String(port) })
  const running = start([program, 'api'], settings, `http://127.0.0.1:${port}`, log)
  await untilReady(running, '/readyz')
  return running
}

export async function startWorkerProcess({ program, databaseUrl, env, log }: ServiceOptions): Promise<Running> {
  return start([program, 'worker'], testEnvironment(databaseUrl, env), '', log)
}

type Command = { program: string; databaseUrl: string; args: string[]; input?: string }

/** Runs a command of a build, which has the tables of its own release. */
export async function runCommand({ program, databaseUrl, args, input = '' }: Command): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...processEnvironment, ...testEnvironment(databaseUrl) },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin?.end(input)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
}

export const migrate = (program: string, databaseUrl: string): Promise<void> =>
  runCommand({ program, databaseUrl, args: ['migrate'] })

export async function startBareHandler(databaseUrl: string): Promise<Running> {
  const port = await freePort()
  const program = fileURLToPath(new URL('bare-handler.ts', import.meta.url))
  const running = start([program, databaseUrl, String(port)], {}, `http://127.0.0.1:${port}`)
  await untilReady(running, '/hello')
  return running
}

/** Starts a proxy that adds this time to each round trip. Returns the address of the database behind it. */
export async function startSlowNetwork(databaseUrl: string, delayMs: number): Promise<Running> {
  const port = await freePort()
  const program = fileURLToPath(new URL('slow-network.ts', import.meta.url))
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href
  return start([program, databaseUrl, String(port), String(delayMs)], {}, url)
}

/** Starts the simulated controller. It has one site for each controller in the database, and the extra sites. */
export async function startController(): Promise<Running> {
  const port = await freePort()
  const program = fileURLToPath(new URL('../../simulator/main.ts', import.meta.url))
  const references = [...Array.from({ length: controllerCount }, (_, i) => `site-${i + 1}`), ...extraSites]
  const sites = references.flatMap((reference) => ['--site', `${reference}=${reference}`])
  const args = [program, '--port', String(port), '--api-key', controllerKey, ...sites]
  const running = start(args, {}, `http://127.0.0.1:${port}`)
  await untilReady(running, '/control/faults')
  return running
}

function start(args: string[], env: Record<string, string>, url: string, log?: string): Running {
  const child = spawn(process.execPath, args, {
    env: { ...processEnvironment, NODE_ENV: 'production', ...env },
    stdio: ['ignore', log === undefined ? 'ignore' : openSync(log, 'a'), 'inherit'],
  })
  children.add(child)
  const ended = once(child, 'exit')
  void ended.then(() => children.delete(child))
  return {
    url,
    pid: child.pid as number,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function untilReady({ url, pid }: Running, path: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(url + path).catch(() => undefined)
    if (answer?.ok) return
    if (attempt >= 600) throw new Error(`Process ${pid} did not answer at ${url}${path} within 60 s`)
    await pause(100)
  }
}
