import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Part } from '../stop-on-signal.ts'

const program = fileURLToPath(new URL('../../../simulator/main.ts', import.meta.url))

export type RunningSimulator = Part & { url: string; apiKey: string; siteReferences: string[] }

/** The simulated controller as its own process, which speaks to the service only over HTTP. */
export async function startSimulator(): Promise<RunningSimulator> {
  const siteReferences = ['main', 'annex', 'seminar', 'works']
  const child = spawn(process.execPath, [program, ...siteReferences.flatMap((site) => ['--site', `${site}=${site}`])], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'], // it ends with the channel, also when this process is killed
  })
  const ended = once(child, 'exit')
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout as Readable }), 'line'), ended])) as [
    unknown,
  ]
  if (typeof line !== 'string') throw new Error('The simulated controller did not start')
  const { url, api_key: apiKey } = JSON.parse(line)
  return {
    url,
    apiKey,
    siteReferences,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
