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

type LoggedRequest = {
  at: string
  method: string
  path: string
  query: string
  body: unknown
  replyBytes: number | null
}

export type Simulator = {
  url: string
  apiKey: string
  /** Of the administrator of the classic API. */
  login: { username: string; password: string }
  /** Of its certificate, when it was started with --https. */
  fingerprint: string | undefined
  /** What reached it since the log was emptied. */
  requests(): Promise<LoggedRequest[]>
  vouchers(): Promise<SimulatedVoucher[]>
  /** How often it was asked to create since the log was emptied. */
  creates(): Promise<number>
  forget(): Promise<void>
  redeem(code: string, mac?: string): Promise<void>
  /** A voucher that another administrator made. */
  addVoucher(voucher: Record<string, unknown>): Promise<void>
  /** The next vouchers of the site get these codes. */
  giveCodes(codes: string[]): Promise<void>
  /** Somebody else deletes it. */
  deleteVoucher(code: string): Promise<void>
  clock(change: { advanceSeconds?: number; frozen?: boolean }): Promise<void>
  behave(change: object): Promise<void>
  signIns(): Promise<{ at: string; result: string }[]>
  /** By site id: the reference. */
  siteReferences(): Promise<Map<string, string>>
  /** Only the faults to come; what it has logged stays. */
  forgetFaults(): Promise<void>
  fault(kind: string, options?: { times?: number; delayMs?: number; on?: string }): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** The simulated controller as its own process. */
export async function startSimulator(...args: string[]): Promise<Simulator> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr.on('data', (chunk) => process.stderr.write(chunk)) // inherited, an orphan would keep the whole run open
  const ended = once(child, 'exit')
  const died = ended.then(() => Promise.reject(new Error('The simulator ended before it listened')))
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), died])) as [string]
  died.catch(() => {})
  const { url, api_key: apiKey, fingerprint256: fingerprint, username, password, sites } = JSON.parse(line)
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
    login: { username, password },
    fingerprint,
    vouchers: () => control('GET', 'vouchers'),
    requests: () => control('GET', 'requests'),
    creates: async () =>
      (await control('GET', 'requests')).filter((request: LoggedRequest) => isCreation(request)).length,
    forget: async () => {
      for (const log of ['requests', 'faults', 'behaviour', 'sign-ins']) await control('DELETE', log)
    },
    redeem: async (code, mac = 'aa:bb:cc:dd:ee:ff') => void (await control('POST', 'redeem', { code, mac })),
    addVoucher: async (voucher) => void (await control('POST', 'vouchers', voucher)),
    giveCodes: async (codes) => void (await control('POST', 'codes', { internalReference: 'default', codes })),
    deleteVoucher: async (code) => void (await control('POST', 'delete', { code })),
    clock: async (change) => void (await control('POST', 'clock', change)),
    behave: async (change) => void (await control('POST', 'behaviour', change)),
    siteReferences: async () =>
      new Map(sites.map((site: { id: string; internalReference: string }) => [site.id, site.internalReference])),
    forgetFaults: async () => void (await control('DELETE', 'faults')),
    signIns: () => control('GET', 'sign-ins'),
    fault: async (kind, { times = 1, on = 'create', ...more } = {}) => {
      await control('POST', 'faults', { on, kind, times, ...more })
    },
    stop,
  }
}

function isCreation({ method, path, body }: LoggedRequest): boolean {
  const isClassic = (body as { cmd?: string } | null)?.cmd === 'create-voucher'
  return method === 'POST' && (path.includes('/integration/') || isClassic)
}
