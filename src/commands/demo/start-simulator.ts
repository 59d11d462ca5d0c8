import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Part } from '../stop-on-signal.ts'

const program = fileURLToPath(new URL('../../../simulator/main.ts', import.meta.url))

export type RunningSimulator = Part & {
  url: string
  apiKey: string
  login: { username: string; password: string }
  /** Of its self-signed certificate. */
  fingerprint: string
}

/** A simulated controller as its own process, which speaks to the service only over HTTPS. */
export async function startSimulator(...options: string[]): Promise<RunningSimulator> {
  const child = spawn(process.execPath, [program, '--https', ...options], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'], // it ends with the channel, also when this process is killed
  })
  const ended = once(child, 'exit')
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout as Readable }), 'line'), ended])) as [
    unknown,
  ]
  if (typeof line !== 'string') throw new Error('The simulated controller did not start')
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
