import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArguments } from '../../../simulator/parse-arguments.ts'
import { startSimulator as serveSimulator } from '../../../simulator/start-simulator.ts'
import { processEnvironment } from '../environment.ts'
import { isLong } from '../measuring.ts'
import { onFileEnd } from '../on-file-end.ts'
import { call } from './http-client.ts'

const program = fileURLToPath(new URL('../../../simulator/main.ts', import.meta.url))

type SimulatedVoucher = {
  siteId: string
  id: string
  name: string
  code: string
  createdBy: string
  deleted: boolean
  authorizedGuestCount: number
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
  /** The administrator of the classic API. */
  login: { username: string; password: string }
  /** The fingerprint of the certificate; undefined without --https. */
  fingerprint: string | undefined
  /** The requests since the log was emptied. */
  requests(): Promise<LoggedRequest[]>
  vouchers(): Promise<SimulatedVoucher[]>
  /** The number of creations requested since the log was emptied. */
  creates(): Promise<number>
  forget(): Promise<void>
  redeem(code: string, mac?: string): Promise<void>
  /** All guests, with the code they used. */
  guests(): Promise<{ siteId: string; mac: string; code: string | null; authorized: boolean }[]>
  /** Lets a device in without a voucher, on the site `default`. */
  addGuest(mac: string): Promise<void>
  /** Creates a voucher as another administrator would. */
  addVoucher(voucher: Record<string, unknown>): Promise<void>
  /** The next vouchers of the site get these codes. */
  giveCodes(codes: string[]): Promise<void>
  /** Deletes a voucher as another administrator would. */
  deleteVoucher(code: string): Promise<void>
  clock(change: { advanceSeconds?: number; frozen?: boolean }): Promise<void>
  behave(change: object): Promise<void>
  signIns(): Promise<{ at: string; result: string }[]>
  /** The reference of each site, by site id. */
  siteReferences(): Promise<Map<string, string>>
  /** Removes the faults to come, but not the log. */
  forgetFaults(): Promise<void>
  fault(kind: string, options?: { times?: number; delayMs?: number; on?: string; mac?: string }): Promise<void>
  /** Closes every connection and stops listening. */
  stop(): Promise<void>
}

/** A simulated controller in this process. It takes the options of `simulator/main.ts`. */
export async function startSimulator(...args: string[]): Promise<Simulator> {
  const options = parseArguments(args)
  if (options === 'help') throw new Error('--help starts no simulator')
  const running = await serveSimulator(options)
  const { url, apiKey, fingerprint256: fingerprint, username, password, sites } = running
  let closed: Promise<void> | undefined
  const stop = () => (closed ??= running.close())
  onFileEnd(stop)
  return controlled({ url, apiKey, fingerprint, login: { username, password }, sites, stop })
}

/** A simulated controller in its own process, for tests that change the clock of their process or keep it busy. */
export async function startSimulatorProcess(...args: string[]): Promise<Simulator> {
  const child = spawn(process.execPath, [program, ...args], {
    env: processEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.on('data', (chunk) => process.stderr.write(chunk)) // with 'inherit', an orphan would keep the run open
  const ended = once(child, 'exit')
  const died = ended.then(() => Promise.reject(new Error('The simulator ended before it listened')))
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), died])) as [string]
  died.catch(() => {})
  const { url, api_key: apiKey, fingerprint256: fingerprint, username, password, sites } = JSON.parse(line)
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onFileEnd(stop)
  return controlled({ url, apiKey, fingerprint, login: { username, password }, sites, stop })
}

type Started = Pick<Simulator, 'url' | 'apiKey' | 'login' | 'fingerprint' | 'stop'> & {
  sites: readonly { id: string; internalReference: string }[]
}

/** Adds the functions with which a test controls a running simulator, over `/control`. */
function controlled({ sites, ...started }: Started): Simulator {
  const control = async (method: string, path: string, body?: object) => {
    const answer = await call(`${started.url}/control/${path}`, {
      method,
      trustAnyone: true,
      ...(body && { body: JSON.stringify(body) }),
    })
    if (answer.status >= 400) throw new Error(answer.text)
    return answer.json()
  }
  return {
    ...started,
    vouchers: () => control('GET', 'vouchers'),
    requests: () => control('GET', 'requests'),
    creates: async () =>
      (await control('GET', 'requests')).filter((request: LoggedRequest) => isCreation(request)).length,
    forget: async () => {
      for (const log of ['requests', 'faults', 'behaviour', 'sign-ins']) await control('DELETE', log)
    },
    redeem: async (code, mac = 'aa:bb:cc:dd:ee:ff') => void (await control('POST', 'redeem', { code, mac })),
    guests: () => control('GET', 'guests'),
    addGuest: async (mac) => void (await control('POST', 'guests', { internalReference: 'default', mac })),
    addVoucher: async (voucher) => void (await control('POST', 'vouchers', voucher)),
    giveCodes: async (codes) => void (await control('POST', 'codes', { internalReference: 'default', codes })),
    deleteVoucher: async (code) => void (await control('POST', 'delete', { code })),
    clock: async (change) => void (await control('POST', 'clock', change)),
    behave: async (change) => void (await control('POST', 'behaviour', change)),
    siteReferences: async () => new Map(sites.map(({ id, internalReference }) => [id, internalReference])),
    forgetFaults: async () => void (await control('DELETE', 'faults')),
    signIns: () => control('GET', 'sign-ins'),
    fault: async (kind, { times = 1, on = 'create', ...more } = {}) => {
      await control('POST', 'faults', { on, kind, times, ...more })
    },
  }
}

function isCreation({ method, path, body }: LoggedRequest): boolean {
  const isClassic = (body as { cmd?: string } | null)?.cmd === 'create-voucher'
  return method === 'POST' && (path.includes('/integration/') || isClassic)
}

/** The three combinations of driver and controller. */
export const allDialects = [
  { dialect: 'unifi-integration on a console', driver: 'unifi-integration', flavour: 'console' },
  { dialect: 'unifi-classic on a console', driver: 'unifi-classic', flavour: 'console' },
  { dialect: 'unifi-classic self-hosted', driver: 'unifi-classic', flavour: 'self-hosted' },
]

/**
 * The combinations that tests use: one for each driver; in the long run, all. A self-hosted controller differs from a
 * console only in its paths and in signing in, which the tests of the driver check on every commit.
 */
export const dialects = isLong ? allDialects : allDialects.slice(0, 2)
