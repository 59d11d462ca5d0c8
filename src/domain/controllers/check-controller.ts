import { isIPv6 } from 'node:net'
import type { Queryable } from '#db/database.ts'
import type { ControllerConnection, ControllerSite, Credentials, Driver } from '#drivers/driver.ts'
import { type CheckCause, diagnose, factsOf, type LayerResult } from '#drivers/layer-check.ts'
import type { CheckedCertificate } from '#lib/certificate.ts'
import type { Keyring } from '#lib/cipher.ts'
import { type Requester, requireAllSites } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { type CountCall, limitActor } from '../limit-actor.ts'
import { checkPin, type DriverForms, findDriver, parseAddress } from './add-controller.ts'
import { decryptUsername, newCredentials } from './controller-credentials.ts'
import { findStoredController, type StoredController } from './controllers.queries.ts'
import type { Controllers, UnsavedController } from './controllers.ts'
import { controllerNotFound } from './find-controller.ts'

type CheckContext = {
  db: Queryable
  keyring: Keyring
  drivers: DriverForms
  controllers: Controllers
  limiter: CountCall
}

/** A recorded controller (`id`) or a new one. Fields replace what is recorded. A pin of null removes the pin. */
export type CheckRequest = {
  place: { id: string } | { driver: string; address: string }
  address?: string | undefined
  certificatePin?: Buffer | null | undefined
  username?: string | undefined
  secret?: string | undefined
  /** Undefined: all sites of the account are listed, and the first one is tested. */
  controllerSite?: string | undefined
}

export const checkLines = ['name', 'connection', 'certificate', 'sign_in', 'permission', 'site'] as const

export type CheckLine = (typeof checkLines)[number]

type CheckedLayer = {
  layer: CheckLine
  result: 'ok' | 'failed' | 'skipped'
  durationMs: number | null
  cause: CheckCause | null
}

export type ControllerCheck = {
  driver: string
  credentials: Driver['credentials']
  address: string
  layers: CheckedLayer[]
  addresses: string[]
  port: number | null
  certificate: CheckedCertificate | null
  version: string | null
  /** Null if the test did not get that far. */
  sites: ControllerSite[] | null
}

const checksPerMinute = 60
/**
 * A console allows five sign-ins a minute and may lock the account after that. Three are enough to correct two mistakes, and
 * leave two for the service itself.
 */
const signInsPerMinute: Record<Driver['credentials'], number> = { login: 3, 'api-key': 20 }

/**
 * Tests layer by layer whether vouchers can be created on a controller. Only reads there. Credentials are sent only after the
 * certificate was accepted, and recorded ones only to the recorded address and certificate. A test with entered credentials is
 * recorded: it can be used to guess them.
 */
export async function checkController(
  ctx: CheckContext,
  actor: Requester,
  request: CheckRequest,
): Promise<ControllerCheck> {
  requireAllSites(actor)
  const limit = { of: 'check', perMinute: checksPerMinute, otherwise: 'controller_checks_too_many' } as const
  await limitActor(ctx.limiter, actor, limit)
  const target = await readTarget(ctx, request)
  const { driver, address, certificatePin } = target.place
  let connection: ControllerConnection | undefined
  const checks = ctx.controllers.driverOf({ driver }).layerChecks({
    address,
    certificatePin,
    addressPolicy: ctx.controllers.addressPolicy,
    controllerSite: request.controllerSite ?? null,
    withholdCredentials: async (at) => target.withheld ?? (await findSignInLimit(ctx, target, at)),
    connect: () => {
      connection ??= ctx.controllers.connectForTest(target.access as StoredController | UnsavedController)
      return connection
    },
  })
  try {
    const check = toCheck(target, await diagnose(checks))
    if (isEntered(target)) await recordCheck(ctx.db, actor, request, check)
    return check
  } finally {
    await connection?.close()
  }
}

type Target = {
  place: { driver: string; address: string; certificatePin: Buffer | null }
  kind: Driver['credentials']
  /** Undefined if there are no credentials for this place. */
  access: StoredController | UnsavedController | undefined
  withheld: CheckCause | undefined
}

async function readTarget(ctx: CheckContext, request: CheckRequest): Promise<Target> {
  const { place: asked } = request
  const recorded = 'id' in asked ? await findStoredController(ctx.db, asked) : undefined
  if ('id' in asked && !recorded) throw await controllerNotFound(ctx.db, asked)
  const { driver, address } = recorded ?? (asked as Exclude<CheckRequest['place'], { id: string }>)
  const form = findDriver(ctx.drivers, driver)
  const place = {
    driver,
    address: request.address === undefined && recorded ? address : parseAddress(form, request.address ?? address),
    certificatePin: request.certificatePin === undefined ? (recorded?.certificatePin ?? null) : request.certificatePin,
  }
  checkPin(form, place)
  const { controllerId = '', secret = null } = recorded ?? {}
  const entered = newCredentials({ name: driver, kind: form.credentials }, request, () =>
    decryptUsername(ctx.keyring, controllerId, secret),
  )
  const target = { place, kind: form.credentials }
  if (entered)
    return {
      ...target,
      access: { ...place, credentials: entered },
      withheld: isCloud(entered) ? 'cloud_account' : undefined,
    }
  if (!recorded || recorded.secret === null) return { ...target, access: undefined, withheld: 'credentials_missing' }
  return isSamePlace(recorded, place)
    ? { ...target, access: recorded, withheld: undefined }
    : { ...target, access: undefined, withheld: 'credentials_not_reused' }
}

/** Cloud accounts have e-mail addresses as names. They need a second factor, so a sign-in would only count as a failed one. */
function isCloud(credentials: Credentials): boolean {
  return 'username' in credentials && credentials.username.includes('@')
}

function isSamePlace(recorded: StoredController, { address, certificatePin }: Target['place']): boolean {
  const [before, after] = [recorded.certificatePin, certificatePin]
  return recorded.address === address && (before === null || after === null ? before === after : before.equals(after))
}

function isEntered({ access }: Target): boolean {
  return access !== undefined && 'credentials' in access
}

/**
 * Counts sign-ins with entered credentials for each IP address of the host, because a controller may have many names.
 * The shared session of a recorded controller counts its own sign-ins.
 */
async function findSignInLimit(
  { limiter }: CheckContext,
  target: Target,
  { addresses, port }: { addresses: string[]; port: number },
): Promise<CheckCause | undefined> {
  if (!isEntered(target)) return undefined
  for (const address of new Set(addresses.map(oneSpelling))) {
    const { allowed } = await limiter(
      `check-sign-in:${target.kind}:${address}:${port}`,
      signInsPerMinute[target.kind],
      60,
    )
    if (!allowed) return 'sign_ins_too_many'
  }
  return undefined
}

/** Writes an IP address in one form. An IPv6 address has several forms, and some IPv6 addresses contain an IPv4 address. */
function oneSpelling(address: string): string {
  if (!isIPv6(address)) return address
  const host = new URL(`http://[${address}]`).hostname
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(host) ?? []
  if (high === undefined || low === undefined) return host
  const bytes = [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
  return bytes.join('.')
}

/** The address has no credentials: `parseAddress` rejects them. */
async function recordCheck(
  db: Queryable,
  actor: Requester,
  { place }: CheckRequest,
  { driver, address, layers }: ControllerCheck,
): Promise<void> {
  const reached = layers.findLast(({ result }) => result === 'ok')?.layer ?? null
  await recordAudit(db, actor, {
    action: 'controller.checked',
    targetKind: 'controller',
    targetId: 'id' in place ? place.id : address,
    details: { ...('id' in place ? {} : { name: address }), address, driver, reached },
  })
}

/** The line in which people see the result of each layer of the drivers. */
const lines: Partial<Record<string, CheckLine>> = {
  address: 'name',
  dns: 'name',
  connect: 'connection',
  tls: 'certificate',
  'sign-in': 'sign_in',
  permission: 'permission',
  site: 'site',
  hotspot: 'site',
}

/** Causes with which the service itself stops the test. */
const ownCauses: CheckCause[] = ['credentials_missing', 'credentials_not_reused', 'sign_ins_too_many']

function toCheck({ place, kind }: Target, results: LayerResult[]): ControllerCheck {
  const facts = factsOf(results)
  return {
    driver: place.driver,
    credentials: kind,
    address: place.address,
    layers: checkLines.map((layer) =>
      toLine(
        layer,
        results.filter((result) => (lines[result.layer] ?? 'connection') === layer),
      ),
    ),
    addresses: facts.addresses ?? [],
    port: facts.port ?? null,
    certificate: facts.certificate ?? null,
    version: facts.version ?? null,
    sites: facts.sites ?? null,
  }
}

/** Joins several layers in one line: the line failed if one of them did, and is ok if all of them are. */
function toLine(layer: CheckLine, results: LayerResult[]): CheckedLayer {
  const failed = results.find(({ result }) => result === 'failed')
  const decisive = failed ?? results.find(({ result }) => result === 'not tried')
  const cause = decisive?.cause ?? null
  const times = results.flatMap(({ ms }) => ms ?? [])
  const isSkipped = results.length === 0 || (cause ? ownCauses.includes(cause) : false) || (decisive && !failed)
  return {
    layer,
    result: isSkipped ? 'skipped' : failed ? 'failed' : 'ok',
    durationMs: times.length > 0 && !isSkipped ? times.reduce((sum, ms) => sum + ms, 0) : null,
    cause,
  }
}
