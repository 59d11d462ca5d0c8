import { randomBytes } from 'node:crypto'
import { type Behaviour, defaultBehaviour } from './behaviour.ts'
import { consoleFlavour } from './classic/console-flavour.ts'
import type { Flavour } from './classic/flavour.ts'
import { createLoginLimit } from './classic/login-limit.ts'
import { selfHostedFlavour } from './classic/self-hosted-flavour.ts'
import { createSessions, type Sessions } from './classic/sessions.ts'
import type { SignInResult } from './classic/sign-in.ts'
import { createFaultQueue, type FaultQueue } from './faults/fault-queue.ts'
import { createHeldRequests, type HeldRequests } from './http/held-requests.ts'
import { connectorGateway, consoleGateway, type Gateway } from './integration/gateway.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'
import type { Site } from './store/voucher.ts'
import { createVoucherStore, type VoucherStore } from './store/voucher-store.ts'

const flavours = { console: consoleFlavour, 'self-hosted': selfHostedFlavour }

export type FlavourName = keyof typeof flavours

export type ControllerOptions = {
  flavour?: FlavourName | undefined
  /** Where a cloud connector serves the console; undefined: there is none. */
  pathPrefix?: string | undefined
  apiKey?: string | undefined
  username?: string | undefined
  password?: string | undefined
  /** The site of the hotspot operator; undefined: the account is an administrator of all sites. */
  hotspotSite?: string | undefined
  sessionSeconds?: number | undefined
  /** Sign-ins per minute; 0 = no limit. */
  loginLimit?: number | undefined
  sites?: Omit<Site, 'id'>[] | undefined
}

export type Simulator = {
  flavour: Flavour
  gateway: Gateway
  apiKey: string
  account: { username: string; password: string; hotspotSite: string | undefined }
  store: VoucherStore
  sessions: Sessions
  /** Counts the sign-in that it allows. */
  mayLogIn: () => boolean
  signIns: { at: string; username: string | null; result: SignInResult }[]
  behaviour: Behaviour
  faults: FaultQueue
  held: HeldRequests
  requests: RequestLog
}

export function createSimulator({
  flavour = 'console',
  pathPrefix,
  apiKey = randomSecret(),
  username = 'api',
  password = randomSecret(),
  hotspotSite,
  sessionSeconds = 3600,
  loginLimit = 5,
  sites = [{ internalReference: 'default', name: 'Default' }],
}: ControllerOptions): Simulator {
  const store = createVoucherStore(sites)
  return {
    flavour: flavours[flavour],
    gateway: pathPrefix === undefined ? consoleGateway : connectorGateway(pathPrefix),
    apiKey,
    account: { username, password, hotspotSite },
    store,
    sessions: createSessions(store.clock, sessionSeconds),
    mayLogIn: createLoginLimit(store.clock, loginLimit),
    signIns: [],
    behaviour: { ...defaultBehaviour },
    faults: createFaultQueue(),
    held: createHeldRequests(),
    requests: createRequestLog(apiKey),
  }
}

function randomSecret(): string {
  return randomBytes(24).toString('base64url')
}
