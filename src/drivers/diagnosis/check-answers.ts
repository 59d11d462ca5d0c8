import { plainVersion } from '#lib/plain-version.ts'
import { type ControllerConnection, ControllerError, type Failure } from '../driver.ts'
import { type Finding, failed, type Layer, layers, notTried, ok } from './layers.ts'

const hints: Record<Failure, string> = {
  unreachable: 'it could be reached a moment ago, so run the test again',
  insecure: 'set it with voucher-service controllers set … --address https://… --new-secret',
  sign_in: 'the stored credentials do not let us in',
  forbidden: 'the account may not make vouchers there',
  rejected: 'the controller does not understand this driver, so check the driver and the port',
  missing: 'check the site and the rights of the account; it may also be the wrong driver',
  busy: 'wait a minute',
  timeout: 'it accepts connections, but does not answer',
  failed: 'it may be starting or broken, so run the test again in some minutes',
  no_voucher: 'a controller answers differently, so check the driver and the port',
}

/** Failures that show that the credentials were accepted. */
const letIn: Failure[] = ['forbidden', 'missing']

export async function checkSignIn(connection: ControllerConnection, site: string): Promise<Finding> {
  try {
    const version = plainVersion(await connection.version(site))
    return ok(version ? `let in by version ${version}` : 'let in')
  } catch (error) {
    if (!(error instanceof ControllerError)) throw error
    return letIn.includes(error.failure) ? ok('the credentials were not refused') : failed(explain(error))
  }
}

const layerOf: Partial<Record<Failure, Layer>> = { sign_in: 'sign-in', forbidden: 'permission', missing: 'site' }
const answered = layers.slice(layers.indexOf('permission'))

/** Checks the remaining layers with one read. Its error says which layer failed; the layers before that stay unknown. */
export async function checkVouchers(
  connection: ControllerConnection,
  site: string,
): Promise<{ layer: Layer; finding: Finding }[]> {
  try {
    await connection.probe(site)
    return [
      { layer: 'permission', finding: ok('nothing was refused') },
      { layer: 'site', finding: ok(`"${site}"`) },
      { layer: 'hotspot', finding: ok('vouchers can be read') },
    ]
  } catch (error) {
    if (!(error instanceof ControllerError)) throw error
    const layer = layerOf[error.failure] ?? 'hotspot'
    const before = answered.slice(0, Math.max(0, answered.indexOf(layer)))
    const unknown = before.map((each) => ({ layer: each, finding: notTried('this answer does not tell') }))
    return [...unknown, { layer, finding: failed(explain(error)) }]
  }
}

function explain({ message, failure }: ControllerError): string {
  return `${message}: ${hints[failure]}`
}
