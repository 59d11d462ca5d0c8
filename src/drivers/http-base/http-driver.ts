import { isIP } from 'node:net'
import { AddressRefused, AddressUnknown, resolveAllowed } from '#lib/connect-allowed.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import {
  type AddressForm,
  ControllerError,
  type Driver,
  type Failure,
  type LayerCheck,
  type LayerFinding,
  type SiteToTest,
} from '../driver.ts'
import { connectToController, readCertificate, type ShownCertificate } from './connector.ts'
import { plainVersion } from './http-client.ts'

/** The members of `Driver` that are the same for all drivers that use HTTP: the address, and the checks of `sites test`. */
export const httpDriver: Pick<Driver, 'address' | 'layerChecks'> = { address: httpAddress(), layerChecks }

function httpAddress(): AddressForm {
  return {
    rule: 'begin with https:// (or http://)',
    example: 'https://192.168.1.1',
    parse(text) {
      const url = URL.canParse(text) ? new URL(text) : undefined
      if (!url || !['https:', 'http:'].includes(url.protocol)) return { problem: 'malformed' }
      if (url.username || url.password || url.search || url.hash) return { problem: 'has_extras' }
      return { address: url.href.replace(/\/$/, '') }
    },
    hasCertificate: (address) => address.startsWith('https:'),
  }
}

/** Everything that has to work before a voucher can be made, in the order in which it is needed. */
export const httpLayers = ['address', 'dns', 'connect', 'tls', 'sign-in', 'permission', 'site', 'hotspot'] as const

type HttpLayer = (typeof httpLayers)[number]

type Finding = Omit<LayerFinding, 'layer'>

/** The layers after the sign-in. One read of vouchers checks all of them. */
const readLayers: HttpLayer[] = ['permission', 'site', 'hotspot']

function layerChecks(site: SiteToTest): LayerCheck<HttpLayer>[] {
  return [
    checkOne('address', () => checkAddress(site)),
    checkOne('dns', () => checkName(site)),
    checkOne('connect', () => checkPort(site)),
    checkOne('tls', () => checkCertificate(site)),
    checkOne('sign-in', () => checkSignIn(site)),
    { layers: readLayers, run: () => checkRead(site) },
  ]
}

function checkOne(layer: HttpLayer, check: () => Promise<Finding>): LayerCheck<HttpLayer> {
  return { layers: [layer], run: async () => [{ layer, ...(await check()) }] }
}

const notAllowed =
  'This address is not allowed: a controller cannot be at a link-local, metadata or multicast address, or at a port of this service'

async function checkAddress(site: SiteToTest): Promise<Finding> {
  const { protocol, hostname, port } = targetOf(site)
  if (isIP(hostname) !== 0 && !site.addressPolicy.allows(hostname, Number(port))) return failed(notAllowed)
  if (!site.hasCredentials) return failed(`No credentials are stored; enter them with: ${site.credentialsCommand}`)
  return ok(`${protocol.slice(0, -1)}, port ${port}; credentials are stored`)
}

async function checkName(site: SiteToTest): Promise<Finding> {
  const { hostname, port } = targetOf(site)
  if (isIP(hostname) !== 0) return ok('an address: no name to look up')
  try {
    const found = await resolveAllowed(hostname, Number(port), site.addressPolicy)
    return ok(found.map(({ address }) => address).join(', '))
  } catch (error) {
    if (error instanceof AddressRefused) return failed(`The name leads to a forbidden address. ${notAllowed}`)
    if (error instanceof AddressUnknown) return failed(error.message)
    throw error
  }
}

/** Opens a connection and sends nothing. */
async function checkPort(site: SiteToTest): Promise<Finding> {
  const target = targetOf(site)
  const options = { policy: site.addressPolicy, rejectUnauthorized: true }
  try {
    const socket = await connectToController({ ...target, protocol: 'http:' }, options)
    socket.destroy()
    return ok(`port ${target.port} is open`)
  } catch (error) {
    return failed(`${explainConnectError((error as NodeJS.ErrnoException).code)} (port ${target.port})`)
  }
}

function explainConnectError(code = 'no connection'): string {
  if (code === 'ECONNREFUSED') return 'The machine answers, but nothing listens (ECONNREFUSED)'
  if (code.endsWith('TIMEOUT') || code === 'ETIMEDOUT')
    return `No answer within 3 s (${code}). The controller may be switched off or on another network, or a firewall blocks the port`
  return `No connection (${code})`
}

async function checkCertificate(site: SiteToTest): Promise<Finding> {
  const url = new URL(site.address)
  const isSecure = url.protocol === 'https:'
  if (!isSecure && site.certificatePin) return failed('A certificate is pinned, but the address is http://')
  if (!isSecure) return notTried('plain HTTP: anyone on the network path can read credentials and codes')
  try {
    return judgeCertificate(await readCertificate(url, site.addressPolicy), site)
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    return failed(`This port does not use TLS (${code ?? name}). Check the port`)
  }
}

/** Applies the rule of the connector: with a pin, only the pin decides. */
function judgeCertificate(shown: ShownCertificate, { certificatePin, pinCommand }: SiteToTest): Finding {
  const { fingerprint, trusted, whyNotTrusted } = shown
  if (certificatePin === null && trusted) return ok(`${fingerprint} is trusted by a public authority`)
  if (certificatePin === null)
    return failed(
      `${fingerprint} is not pinned, and no public authority has signed it (${whyNotTrusted}). ` +
        `Compare it with what the controller shows, then: ${pinCommand(fingerprint)}`,
    )
  const pin = formatFingerprint(certificatePin)
  if (pin === fingerprint) return ok(`${fingerprint} is the pinned one`)
  return failed(
    `${fingerprint} is not the pinned ${pin}: a new certificate, or an impostor. ` +
      `Only after comparing it with what the controller shows: ${pinCommand(fingerprint)}`,
  )
}

/** Failures which show that the credentials were accepted. */
const failuresAfterSignIn: Failure[] = ['forbidden', 'missing']

async function checkSignIn({ connect, controllerSite }: SiteToTest): Promise<Finding> {
  const connection = connect()
  try {
    const version = plainVersion(await connection.version(controllerSite))
    return ok(version ? `signed in, version ${version}` : 'signed in')
  } catch (error) {
    if (!(error instanceof ControllerError)) throw error
    if (failuresAfterSignIn.includes(error.failure)) return ok('the credentials were not refused')
    return failed(explainFailure(error))
  }
}

const failedLayers: Partial<Record<Failure, HttpLayer>> = {
  sign_in: 'sign-in',
  forbidden: 'permission',
  missing: 'site',
}

/** Checks all remaining layers with one read. Its error shows which layer failed, but nothing about the layers before it. */
async function checkRead({ connect, controllerSite }: SiteToTest): Promise<LayerFinding<HttpLayer>[]> {
  const connection = connect()
  try {
    await connection.probe(controllerSite)
    return [
      { layer: 'permission', ...ok('nothing was refused') },
      { layer: 'site', ...ok(`"${controllerSite}"`) },
      { layer: 'hotspot', ...ok('vouchers can be read') },
    ]
  } catch (error) {
    if (!(error instanceof ControllerError)) throw error
    const layer = failedLayers[error.failure] ?? 'hotspot'
    const before = readLayers.slice(0, Math.max(0, readLayers.indexOf(layer)))
    const unknown = before.map((each) => ({ layer: each, ...notTried('the failed answer does not show this') }))
    return [...unknown, { layer, ...failed(explainFailure(error)) }]
  }
}

const hints: Record<Failure, string> = {
  unreachable: 'it could be reached a moment ago, so run the test again',
  insecure: 'set it with voucher-service controllers set … --address https://… --new-secret',
  sign_in: 'the controller does not accept the stored credentials',
  forbidden: 'the account may not make vouchers there',
  rejected: 'the controller does not understand this driver, so check the driver and the port',
  missing: 'check the site and the rights of the account; it may also be the wrong driver',
  busy: 'wait a minute',
  timeout: 'it accepts connections, but does not answer',
  failed: 'it may be starting or broken, so run the test again in some minutes',
  no_voucher: 'a controller answers differently, so check the driver and the port',
}

function explainFailure({ message, failure }: ControllerError): string {
  return `${message}: ${hints[failure]}`
}

/** The parts of an address that a socket needs, always with a port. */
function targetOf({ address }: SiteToTest) {
  const { protocol, host, hostname, port } = new URL(address)
  return {
    protocol,
    host,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? '443' : '80'),
  }
}

function ok(detail: string): Finding {
  return { result: 'ok', detail }
}

function failed(detail: string): Finding {
  return { result: 'failed', detail }
}

function notTried(detail: string): Finding {
  return { result: 'not tried', detail }
}
