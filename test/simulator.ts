import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { call } from './http-client.ts'
import { onFileEnd } from './on-file-end.ts'

const program = fileURLToPath(new URL('../simulator/main.ts', import.meta.url))

type SimulatedVoucher = {
  siteId: string
  id: string
  name: string
  code: string
  createdBy: string
  deleted: boolean
  authorizedGuestLimit?: number
  timeLimitMinutes: number
  rxRateLimitKbps?: number
  txRateLimitKbps?: number
  dataUsageLimitMBytes?: number
}

export type Simulator = {
  url: string
  apiKey: string
  /** Of its certificate, when it was started with --https. */
  fingerprint: string | undefined
  /** What reached it since the log was emptied. */
  requests(): Promise<{ method: string; path: string }[]>
  vouchers(): Promise<SimulatedVoucher[]>
  /** How often it was asked to create since the log was emptied. */
  creates(): Promise<number>
  forget(): Promise<void>
  fault(kind: string, options?: { times?: number; delayMs?: number; on?: string }): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** The simulated controller as its own process. */
export async function startSimulator(...args: string[]): Promise<Simulator> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr.on('data', (chunk) => process.stderr.write(chunk)) // inherited, an orphan would keep the whole run open
  const ended = once(child, 'exit')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url, api_key: apiKey, fingerprint256: fingerprint } = JSON.parse(line)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await ended
  }
  onFileEnd(() => stop('SIGKILL'))
  const control = async (method: string, path: string, body?: object) => {
    const answer = await call(`${url}/control/${path}`, {
      method,
      trustAnyone: true,
      ...(body && { body: JSON.stringify(body) }),
    })
    if (answer.status >= 400) throw new Error(answer.text)
    return answer.json()
  }
  return {
    url,
    apiKey,
    fingerprint,
    vouchers: () => control('GET', 'vouchers'),
    requests: () => control('GET', 'requests'),
    creates: async () =>
      (await control('GET', 'requests')).filter((request: { method: string }) => request.method === 'POST').length,
    forget: async () => {
      await control('DELETE', 'requests')
      await control('DELETE', 'faults')
    },
    fault: async (kind, { times = 1, on = 'create', ...more } = {}) => {
      await control('POST', 'faults', { on, kind, times, ...more })
    },
    stop,
  }
}
