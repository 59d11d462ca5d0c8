import { isIP } from 'node:net'
import { AddressRefused, AddressUnknown, resolveAllowed } from '#lib/connect-allowed.ts'
import { formatFingerprint } from '#lib/fingerprint.ts'
import { type ControllerConnection, ControllerError, type ControllerSite, type Failure } from '../driver.ts'
import type { CheckCause, LayerCheck, LayerFacts, LayerFinding, SiteToTest } from '../layer-check.ts'
import { connectTimeoutMs, connectToController, readCertificate, type ShownCertificate } from './connector.ts'
import { plainVersion } from './http-client.ts'

/** Everything that has to work before a voucher can be created, in the order in which it is needed. */
export const httpLayers = ['address', 'dns', 'connect', 'tls', 'sign-in', 'permission', 'site', 'hotspot'] as const

type HttpLayer = (typeof httpLayers)[number]

type Finding = Omit<LayerFinding, 'layer'>

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

function checkOne(layer: HttpLayer, check: () => Promise<Finding>): LayerCheck<HttpLayer> {
  return { layers: [layer], run: async () => [{ layer, ...(await check()) }] }
}

const notAllowed =
  'This address is not allowed: a controller cannot be at a link-local, metadata or multicast address, or at a port of this service'

async function checkAddress(site: SiteToTest): Promise<Finding> {
  const { protocol, hostname, port } = targetOf(site)
  const facts = { port: Number(port) }
  if (isIP(hostname) !== 0 && !site.addressPolicy.allows(hostname, Number(port)))
    return failed(notAllowed, 'address_forbidden', facts)
  return ok(`${protocol.slice(0, -1)}, port ${port}`, facts)
}

async function checkName(site: SiteToTest): Promise<Finding> {
  const { hostname, port } = targetOf(site)
  if (isIP(hostname) !== 0) return ok('an address: no name to look up', { addresses: [hostname] })
  try {
    const found = await resolveAllowed(hostname, Number(port), site.addressPolicy)
    const addresses = found.map(({ address }) => address)
    return ok(addresses.join(', '), { addresses })
  } catch (error) {
    if (error instanceof AddressRefused)
      return failed(`The name leads to a forbidden address. ${notAllowed}`, 'address_forbidden')
    if (error instanceof AddressUnknown)
      return failed(`${error.message}. Check the spelling, or use the IP address`, 'name_unknown')
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
    return explainConnectError(error as NodeJS.ErrnoException, target.port)
  }
}

/**
 * Explains why no connection was opened. The name may now resolve to a forbidden address, although it did not before.
 */
function explainConnectError(error: NodeJS.ErrnoException, port: string): Finding {
  if (error instanceof ControllerError) return failed(notAllowed, 'address_forbidden')
  const { code = 'no connection' } = error
  if (code === 'ECONNREFUSED')
    return failed(
      `The machine answers, but nothing listens on port ${port} (ECONNREFUSED). Check the port, and that the controller is running`,
      'port_closed',
    )
  if (!isTimeout(code))
    return failed(`No connection to port ${port} (${code}). Check the network to the controller`, 'no_connection')
  return failed(
    `No answer on port ${port} within ${connectTimeoutMs / 1_000} s (${code}). Check that the controller is switched on, and that no firewall blocks the port`,
    'no_answer',
  )
}

function isTimeout(code: string): boolean {
  return code.endsWith('TIMEOUT') || code === 'ETIMEDOUT'
}

async function checkCertificate(site: SiteToTest): Promise<Finding> {
  const isSecure = new URL(site.address).protocol === 'https:'
  if (!isSecure && site.certificatePin)
    return failed('A certificate is pinned, but the address is http://. Use https://, or remove the pin')
  const { host, hostname, port } = targetOf(site)
  const url = new URL(`https://${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`)
  try {
    const shown = await readCertificate(url, site.addressPolicy)
    if (isSecure) return judgeCertificate(shown, site)
    return failed(`The port uses TLS. Use the address https://${host}`, 'tls_required')
  } catch (error) {
    const { code = (error as Error).name } = error as NodeJS.ErrnoException
    if (isSecure && isTimeout(code))
      return failed(
        `Port ${port} accepts connections, but did not answer within ${connectTimeoutMs / 1_000} s (${code}). The controller may be starting or hang: wait a few minutes, then restart it. Also check the port`,
        'no_answer',
      )
    if (isSecure) return failed(`This port does not use TLS (${code}). Check the port`, 'not_tls')
    return notTried('plain HTTP: anyone on the network path can read credentials and codes', 'plain_http')
  }
}

/** Applies the rule of the connector: with a pin, only the pin decides. */
function judgeCertificate(shown: ShownCertificate, { certificatePin, pinCommand }: SiteToTest): Finding {
  const { fingerprint, trusted, whyNotTrusted } = shown
  const pin = certificatePin && formatFingerprint(certificatePin)
  const certificate = { fingerprint, subject: plainSubject(shown.subject), validTo: readDate(shown.validTo) }
  if (pin === fingerprint)
    return ok(`${fingerprint} is the pinned one`, { certificate: { ...certificate, trust: 'pinned' } })
  if (pin === null && trusted)
    return ok(`${fingerprint} is signed by a trusted certificate authority`, {
      certificate: { ...certificate, trust: 'public' },
    })
  const facts: LayerFacts = { certificate: { ...certificate, trust: 'untrusted' } }
  if (pin === null)
    return failed(
      `${fingerprint} is not pinned, and no public certificate authority has signed it (${whyNotTrusted}). ` +
        `${unknownSigner.includes(whyNotTrusted ?? '') ? ownAuthorityHint : ''}Compare it with what the controller shows, then: ${pinCommand(fingerprint)}`,
      causesOfDistrust[whyNotTrusted ?? ''] ?? 'certificate_self_signed',
      facts,
    )
  return failed(
    `${fingerprint} is not the pinned ${pin}: it is new, or somebody intercepts the connection. ` +
      `Compare it with what the controller shows. Only if both are the same: ${pinCommand(fingerprint)}`,
    'certificate_changed',
    facts,
  )
}

/** The codes of OpenSSL for a certificate that is not self-signed, but whose authority is unknown. */
const unknownSigner = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
]
const ownAuthorityHint =
  'If your own certificate authority has signed it, set NODE_EXTRA_CA_CERTS to the file with its certificate. Otherwise pin it. '

/** Removes control characters, because a certificate may contain any text. */
function plainSubject(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '').slice(0, 200)
}

function readDate(text: string): Date | null {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? null : date
}

/** Reasons other than an untrusted signer. */
const causesOfDistrust: Record<string, CheckCause> = {
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_for_other_name',
}

/** Failures which show that the credentials were accepted. */
const failuresAfterSignIn: Failure[] = ['forbidden', 'missing']

async function checkSignIn(site: SiteToTest, addresses: string[]): Promise<Finding> {
  const withheld = await site.withholdCredentials({ addresses, port: Number(targetOf(site).port) })
  if (withheld === 'credentials_missing')
    return failed(`No credentials are stored; enter them with: ${site.credentialsCommand}`, withheld)
  if (withheld) return failed('The credentials were not sent', withheld)
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
  if (site === undefined)
    return [
      {
        layer: 'site',
        ...failed('The account can see no site. Give it access to a site on the controller', 'no_sites', { sites: [] }),
      },
    ]
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
  const unknown = before.map((each) => ({ layer: each, ...notTried('the failed answer does not show this') }))
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

const hints: Record<Failure, { hint: string; cause: CheckCause }> = {
  unreachable: { hint: 'it could be reached a moment ago, so run the test again', cause: 'no_connection' },
  insecure: {
    hint: 'set it with voucher-service controllers set … --address https://… --new-secret',
    cause: 'tls_required',
  },
  sign_in: {
    hint: 'the controller does not accept the stored credentials. Enter new ones with voucher-service controllers set … --new-secret',
    cause: 'credentials_refused',
  },
  forbidden: {
    hint: 'the account may not create vouchers there. Give it that right on the controller, or use another account',
    cause: 'no_permission',
  },
  rejected: {
    hint: 'the controller does not understand this driver, so check the driver and the port',
    cause: 'wrong_driver',
  },
  missing: {
    hint: 'check the site and the rights of the account; it may also be the wrong driver',
    cause: 'site_missing',
  },
  busy: { hint: 'wait a minute', cause: 'controller_busy' },
  timeout: {
    hint: 'it accepts connections, but does not answer, so run the test again in a few minutes',
    cause: 'no_answer',
  },
  failed: { hint: 'it may be starting or broken, so run the test again in a few minutes', cause: 'controller_failed' },
  no_voucher: { hint: 'no controller answers like this, so check the driver and the port', cause: 'wrong_driver' },
}

function explainFailure({ message, failure, checkCause }: ControllerError): Finding {
  const { hint, cause } = hints[failure]
  return failed(`${message}: ${hint}`, checkCause ?? cause)
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

function ok(detail: string, facts?: LayerFacts): Finding {
  return { result: 'ok', detail, ...(facts && { facts }) }
}

function failed(detail: string, cause?: CheckCause, facts?: LayerFacts): Finding {
  return { result: 'failed', detail, ...(cause && { cause }), ...(facts && { facts }) }
}

function notTried(detail: string, cause?: CheckCause): Finding {
  return { result: 'not tried', detail, ...(cause && { cause }) }
}
