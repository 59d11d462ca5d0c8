import { isIP } from 'node:net'
import { causeOfDistrust, judgeCertificate, type ShownCertificate } from '#lib/certificate.ts'
import { AddressRefused, AddressUnknown, resolveAllowed } from '#lib/connect-allowed.ts'
import { type ControllerConnection, ControllerError, type ControllerSite, type Failure } from '../driver.ts'
import {
  type CheckCause,
  explainFailure,
  type LayerCheck,
  type LayerFacts,
  type LayerFinding,
  type LayerOutcome,
  type SiteToTest,
} from '../layer-check.ts'
import { connectToController, readCertificate } from './connector.ts'
import { plainVersion } from './http-client.ts'

/** Everything that has to work before a voucher can be created, in the order in which it is needed. */
export const httpLayers = ['address', 'dns', 'connect', 'tls', 'sign-in', 'permission', 'site', 'hotspot'] as const

type HttpLayer = (typeof httpLayers)[number]

/** The layers after the sign-in. One read of vouchers checks all of them. */
const readLayers: HttpLayer[] = ['permission', 'site', 'hotspot']

export function httpLayerChecks(site: SiteToTest): LayerCheck<HttpLayer>[] {
  let addresses: string[] = []
  const resolveName = async () => {
    const finding = await checkName(site)
    addresses = finding.facts?.addresses ?? []
    return finding
  }
  return [
    checkOne('address', () => checkAddress(site)),
    checkOne('dns', resolveName),
    checkOne('connect', () => checkPort(site)),
    checkOne('tls', () => checkCertificate(site)),
    checkOne('sign-in', () => checkSignIn(site, addresses)),
    { layers: readLayers, run: () => checkRead(site) },
  ]
}

function checkOne(layer: HttpLayer, check: () => Promise<LayerOutcome>): LayerCheck<HttpLayer> {
  return { layers: [layer], run: async () => [{ layer, ...(await check()) }] }
}

async function checkAddress(site: SiteToTest): Promise<LayerOutcome> {
  const { protocol, hostname, port } = targetOf(site)
  const facts = { port: Number(port) }
  if (isIP(hostname) !== 0 && !site.addressPolicy.allows(hostname, Number(port)))
    return failed('address_forbidden', '', facts)
  return ok(`${protocol.slice(0, -1)}, port ${port}`, facts)
}

async function checkName(site: SiteToTest): Promise<LayerOutcome> {
  const { hostname, port } = targetOf(site)
  if (isIP(hostname) !== 0) return ok('an address: no name to look up', { addresses: [hostname] })
  try {
    const found = await resolveAllowed(hostname, Number(port), site.addressPolicy)
    const addresses = found.map(({ address }) => address)
    return ok(addresses.join(', '), { addresses })
  } catch (error) {
    if (error instanceof AddressRefused) return failed('address_forbidden')
    if (error instanceof AddressUnknown) return failed('name_unknown', error.message)
    throw error
  }
}

/** Opens a connection and sends nothing. */
async function checkPort(site: SiteToTest): Promise<LayerOutcome> {
  const target = targetOf(site)
  const options = { policy: site.addressPolicy, rejectUnauthorized: true }
  try {
    const socket = await connectToController({ ...target, protocol: 'http:' }, options)
    socket.destroy()
    return ok(`port ${target.port} is open`)
  } catch (error) {
    return explainConnectError(error as NodeJS.ErrnoException)
  }
}

/**
 * Explains why no connection was opened. The name may now resolve to a forbidden address, although it did not before.
 */
function explainConnectError(error: NodeJS.ErrnoException): LayerOutcome {
  if (error instanceof ControllerError) return failed('address_forbidden')
  const { code = error.name } = error
  if (code === 'ECONNREFUSED') return failed('port_closed', code)
  return failed(isTimeout(code) ? 'no_answer' : 'no_connection', code)
}

function isTimeout(code: string): boolean {
  return code.endsWith('TIMEOUT') || code === 'ETIMEDOUT'
}

async function checkCertificate(site: SiteToTest): Promise<LayerOutcome> {
  const isSecure = new URL(site.address).protocol === 'https:'
  if (!isSecure && site.certificatePin) return failed('tls_required')
  const { hostname, port } = targetOf(site)
  const url = new URL(`https://${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`)
  try {
    const shown = await readCertificate(url, site.addressPolicy)
    if (isSecure) return certificateOutcome(shown, site)
    return failed('tls_required')
  } catch (error) {
    const { code = (error as Error).name } = error as NodeJS.ErrnoException
    if (isSecure) return failed(isTimeout(code) ? 'no_answer' : 'not_tls', code)
    return { result: 'not tried', cause: 'plain_http' }
  }
}

/** Applies the rule of the connector: with a pin, only the pin decides. */
function certificateOutcome(shown: ShownCertificate, { certificatePin }: SiteToTest): LayerOutcome {
  const certificate = judgeCertificate(shown, certificatePin)
  const { fingerprint, trust } = certificate
  if (trust === 'pinned') return ok(`${fingerprint} is the pinned one`, { certificate })
  if (trust === 'public') return ok(`${fingerprint} is signed by a trusted certificate authority`, { certificate })
  if (certificatePin !== null) return failed('certificate_changed', '', { certificate })
  return failed(causeOfDistrust(shown), shown.whyNotTrusted ?? '', { certificate })
}

/** Failures which show that the credentials were accepted. */
const failuresAfterSignIn: Failure[] = ['forbidden', 'missing']

async function checkSignIn(site: SiteToTest, addresses: string[]): Promise<LayerOutcome> {
  const withheld = await site.withholdCredentials({ addresses, port: Number(targetOf(site).port) })
  if (withheld) return failed(withheld)
  try {
    const version = plainVersion(await site.connect().version(site.controllerSite ?? usualSite))
    return version ? ok(`signed in, version ${version}`, { version }) : ok('signed in')
  } catch (error) {
    if (!(error instanceof ControllerError)) throw error
    if (failuresAfterSignIn.includes(error.failure) && !error.checkCause) return ok('the credentials were not rejected')
    return explainFailure(error)
  }
}

/** The site on which a hotspot operator signs in if none is chosen. Other accounts ignore it. */
const usualSite = 'default'

const failedLayers: Partial<Record<Failure, HttpLayer>> = {
  sign_in: 'sign-in',
  forbidden: 'permission',
  missing: 'site',
}

/** Checks all remaining layers with one read. Its error shows which layer failed, but nothing about the layers before it. */
async function checkRead({ connect, controllerSite }: SiteToTest): Promise<LayerFinding<HttpLayer>[]> {
  const connection = connect()
  const listed = controllerSite === null ? await readSites(connection, usualSite) : []
  if (listed instanceof ControllerError) return explainRead(listed)
  const site = controllerSite ?? listed[0]?.ids[0]
  if (site === undefined) return [{ layer: 'site', ...failed('no_sites', '', { sites: [] }) }]
  try {
    await connection.probe(site)
  } catch (error) {
    if (!(error instanceof ControllerError)) throw error
    return explainRead(error, await sitesAround(connection, site, listed))
  }
  return [
    { layer: 'permission', ...ok('nothing was rejected') },
    { layer: 'site', ...ok(`"${site}"`, await sitesAround(connection, site, listed)) },
    { layer: 'hotspot', ...ok('vouchers can be read') },
  ]
}

function explainRead(error: ControllerError, facts?: LayerFacts): LayerFinding<HttpLayer>[] {
  const layer = failedLayers[error.failure] ?? 'hotspot'
  const before = readLayers.slice(0, Math.max(0, readLayers.indexOf(layer)))
  const unknown = before.map((each) => ({ layer: each, result: 'not tried' as const }))
  return [...unknown, { layer, ...explainFailure(error), ...(facts && { facts }) }]
}

/**
 * The sites to show beside the result. If they cannot be listed, they are left out: the check already has its result.
 */
async function sitesAround(connection: ControllerConnection, site: string, listed: ControllerSite[]) {
  const sites = listed.length > 0 ? listed : await readSites(connection, site)
  return sites instanceof ControllerError ? {} : { sites }
}

async function readSites(connection: ControllerConnection, site: string): Promise<ControllerSite[] | ControllerError> {
  try {
    return await connection.sites(site)
  } catch (error) {
    if (error instanceof ControllerError) return error
    throw error
  }
}

/** The parts of an address that a socket needs, always with a port. */
function targetOf({ address }: SiteToTest) {
  const { protocol, hostname, port } = new URL(address)
  return {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? '443' : '80'),
  }
}

function ok(detail: string, facts?: LayerFacts): LayerOutcome {
  return { result: 'ok', detail, ...(facts && { facts }) }
}

function failed(cause: CheckCause, detail = '', facts?: LayerFacts): LayerOutcome {
  return { result: 'failed', cause, detail, ...(facts && { facts }) }
}
