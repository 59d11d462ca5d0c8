import type { AddressPolicy } from '#lib/address-policy.ts'
import type { CheckedCertificate } from '#lib/certificate.ts'
import type { ControllerConnection, ControllerError, ControllerSite, Failure } from './driver.ts'

/** A controller and one of its sites, for `sites test` and for the check of a controller that is not recorded yet. */
export type SiteToTest = {
  address: string
  certificatePin: Buffer | null
  addressPolicy: AddressPolicy
  /** Null: not chosen yet. Then the first site that the account can see is tested. */
  controllerSite: string | null
  /** Says why no credentials may be sent; undefined if they may. It is called only when the sign-in comes next. */
  withholdCredentials(at: { addresses: string[]; port: number }): Promise<CheckCause | undefined>
  /** Returns the same connection each time. Throws if there are no credentials. */
  connect(): ControllerConnection
}

/** Why a layer failed, or was not tried. `src/http/errors/check-causes.ts` has the words for each. */
export const checkCauses = [
  'address_forbidden',
  'name_unknown',
  'port_closed',
  'no_answer',
  'no_connection',
  'not_tls',
  'tls_required',
  'plain_http',
  'certificate_self_signed',
  'certificate_expired',
  'certificate_for_other_name',
  'certificate_changed',
  'credentials_missing',
  'credentials_not_reused',
  'credentials_refused',
  'cloud_account',
  'second_factor',
  'sign_ins_too_many',
  'no_permission',
  'site_missing',
  'no_sites',
  'wrong_driver',
  'controller_busy',
  'controller_failed',
] as const

export type CheckCause = (typeof checkCauses)[number]

/** Facts that a check found out. `sites` has the controller's own names. */
export type LayerFacts = {
  addresses?: string[]
  port?: number
  certificate?: CheckedCertificate
  version?: string
  sites?: ControllerSite[]
}

/** A step of a test. It usually checks one layer, but one request can also check several layers. */
export type LayerCheck<Layer extends string = string> = {
  layers: readonly Layer[]
  run(): Promise<LayerFinding<Layer>[]>
}

/** The detail is for the operator, such as `port 443` or `ECONNREFUSED`. It contains no secret and no text from a reply. */
export type LayerOutcome = { detail?: string; facts?: LayerFacts } & (
  | { result: 'failed'; cause: CheckCause }
  | { result: 'ok' | 'not tried'; cause?: CheckCause }
)

export type LayerFinding<Layer extends string = string> = { layer: Layer } & LayerOutcome

/** `ms` is null for a layer that needed no request of its own, or was not tried. */
export type LayerResult = LayerFinding & { ms: number | null }

/** Runs the checks of a driver until a layer fails. Layers after that are reported as not tried. */
export async function diagnose(checks: LayerCheck[]): Promise<LayerResult[]> {
  const results = new Map<string, LayerResult>()
  for (const layer of checks.flatMap(({ layers }) => layers))
    results.set(layer, { layer, result: 'not tried', ms: null })
  for (const { run } of checks) {
    const startedAt = performance.now()
    const findings = await run()
    const ms = Math.round(performance.now() - startedAt)
    for (const finding of findings)
      results.set(finding.layer, { ...finding, ms: finding.layer === findings.at(-1)?.layer ? ms : null })
    if (findings.some(({ result }) => result === 'failed')) break
  }
  return [...results.values()]
}

/** All facts that the layers found out. */
export function factsOf(results: LayerResult[]): LayerFacts {
  return Object.assign({}, ...results.map(({ facts }) => facts))
}

/** The cause and the detail of a layer that failed with this error. */
export function explainFailure({ failure, checkCause, message }: ControllerError) {
  return { result: 'failed', cause: checkCause ?? causes[failure], detail: message } as const
}

const causes: Record<Failure, CheckCause> = {
  unreachable: 'no_connection',
  insecure: 'tls_required',
  sign_in: 'credentials_refused',
  forbidden: 'no_permission',
  rejected: 'wrong_driver',
  missing: 'site_missing',
  busy: 'controller_busy',
  timeout: 'no_answer',
  failed: 'controller_failed',
  no_voucher: 'wrong_driver',
}
