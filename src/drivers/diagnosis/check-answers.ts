import { plainVersion } from '#lib/plain-version.ts'
import { type ControllerConnection, ControllerError, type Failure } from '../driver.ts'
import { type Finding, failed, type Layer, layers, notTried, ok } from './layers.ts'

const hints: Record<Failure, string> = {
  unreachable: 'it was there a moment ago',
  insecure: 'change it with voucher-service controllers set … --address https://… --new-secret',
  sign_in: 'the stored credentials do not let us in',
  forbidden: 'the account may not make vouchers there',
  rejected: 'this driver is not understood: is it the right one, and the right port?',
  missing: 'no such site, or none that the account may see; or the wrong driver',
  busy: 'wait a minute',
  timeout: 'it takes connections, but does not answer',
  failed: 'it may be starting, or in trouble',
  no_voucher: 'not what a controller answers: is it the right driver, and the right port?',
}

/** A refusal of what was asked for, not of who asked. */
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

/** One read for the layers that are left. What failed is told by its answer; what was before that in doubt stays so. */
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
