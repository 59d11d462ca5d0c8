import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Credentials } from '#drivers/driver.ts'
import type { Part, Running } from '../service/stop-on-signal.ts'

export const simulatorProgram = fileURLToPath(new URL('../../../simulator/main.ts', import.meta.url))

/** Ids of the demo's sites on the controllers. */
export const siteReferences = ['main', 'annex', 'seminar', 'works']

/** A simulated controller together with one way to sign in to it. */
export type DemoController = {
  kind: 'console-api-key' | 'console-login' | 'self-hosted-login'
  about: string
  name: string
  driver: string
  credentials: Credentials
  simulator: RunningSimulator
}

type RunningSimulator = Part & {
  url: string
  apiKey: string
  login: { username: string; password: string }
  /** SHA-256 of its self-signed certificate. */
  fingerprint: string
}

/** Starts two simulators. They make three controllers, because a console accepts an API key and a login. */
export async function startControllers(running: Running): Promise<DemoController[]> {
  const sites = siteReferences.flatMap((site) => ['--site', `${site}=${site}`])
  const start = async (...options: string[]) => {
    const simulator = await startSimulator(...options, ...sites)
    await running.add(simulator)
    return simulator
  }
  return describeControllers(...(await Promise.all([start(), start('--flavour', 'self-hosted')])))
}

export function describeControllers(console: RunningSimulator, selfHosted: RunningSimulator): DemoController[] {
  return [
    {
      kind: 'console-api-key',
      about: 'a console, with an API key',
      name: 'Konsole',
      driver: 'unifi-integration',
      credentials: { apiKey: console.apiKey },
      simulator: console,
    },
    {
      kind: 'console-login',
      about: 'the same console, with user name and password',
      name: 'Konsole mit Anmeldung',
      driver: 'unifi-classic',
      credentials: console.login,
      simulator: console,
    },
    {
      kind: 'self-hosted-login',
      about: 'a self-hosted application, with user name and password',
      name: 'Eigener Server',
      driver: 'unifi-classic',
      credentials: selfHosted.login,
      simulator: selfHosted,
    },
  ]
}

/** Starts a simulated controller as its own process, so that the service reaches it only over HTTPS. */
async function startSimulator(...options: string[]): Promise<RunningSimulator> {
  const child = spawn(process.execPath, [simulatorProgram, '--https', ...options], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'], // the simulator ends when the channel closes, even if this process is killed
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout as Readable })
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [unknown]
  if (typeof line !== 'string') throw new Error('The simulated controller did not start; its output above says why')
  const { url, api_key: apiKey, username, password, fingerprint256: fingerprint } = JSON.parse(line)
  return {
    url,
    apiKey,
    login: { username, password },
    fingerprint,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
