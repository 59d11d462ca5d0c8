import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type Behaviour, defaultBehaviour } from './behaviour.ts'
import { type Flavour, type FlavourName, flavours } from './classic/flavours.ts'
import { createSessions, type Sessions } from './classic/sessions.ts'
import { createLoginLimit, type LoggedSignIn } from './classic/sign-in.ts'
import { createFaultQueue, type FaultQueue } from './faults/fault-queue.ts'
import { connectorGateway, consoleGateway, type Gateway } from './integration/gateway.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'
import type { Site } from './store/voucher.ts'
import { createVoucherStore, type VoucherStore } from './store/voucher-store.ts'

export type ControllerOptions = {
  flavour?: FlavourName | undefined
  /** The path of a cloud connector; undefined when callers reach the console directly. */
  pathPrefix?: string | undefined
  apiKey?: string | undefined
  username?: string | undefined
  password?: string | undefined
  /** The site of a hotspot operator; undefined when the account is an administrator of all sites. */
  hotspotSite?: string | undefined
  sessionSeconds?: number | undefined
  /** Sign-ins per minute; 0 = no limit. */
  loginLimit?: number | undefined
  sites?: Omit<Site, 'id'>[] | undefined
}

/** The whole state of a simulated controller. */
export type Simulator = {
  flavour: Flavour
  gateway: Gateway
  apiKey: string
  account: { username: string; password: string; hotspotSite: string | undefined }
  store: VoucherStore
  sessions: Sessions
  /** Counts the sign-in if it is allowed. */
  mayLogIn: () => boolean
  signIns: LoggedSignIn[]
  behaviour: Behaviour
  faults: FaultQueue
  /** Requests that stay open without an answer because of the behaviour `hang`. */
  heldResponses: Set<ServerResponse>
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
    heldResponses: new Set(),
    requests: createRequestLog(apiKey),
  }
}

function randomSecret(): string {
  return randomBytes(24).toString('base64url')
}
