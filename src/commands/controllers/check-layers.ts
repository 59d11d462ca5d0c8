import { findStoredController, type StoredController } from '#domain/controllers/controllers.queries.ts'
import { DomainError } from '#domain/errors.ts'
import { ControllerError, type UnreachableReason } from '#drivers/driver.ts'
import type { ControllerTools } from '../connections.ts'
import { CommandRefused } from '../terminal/refusals.ts'

type SiteOnController = StoredController & { controllerName: string; controllerSite: string }

export type TestedLayer = { layer: string; result: string; ms: number | null; detail: string }

/** Checks layer by layer whether the vouchers of a site can be read. The details name the commands that correct a failure. */
export async function checkLayers(tools: ControllerTools, site: SiteOnController): Promise<TestedLayer[]> {
  const { diagnose, factsOf } = await import('#drivers/layer-check.ts')
  const { describeCheckCauseInTerminal } = await import('#http/errors/check-causes.ts')
  const { address, certificatePin, controllerSite } = site
  const driver = tools.controllers.driverOf(site)
  const checks = driver.layerChecks({
    address,
    certificatePin,
    addressPolicy: tools.addressPolicy,
    withholdCredentials: async () => (site.secret === null ? 'credentials_missing' : undefined),
    controllerSite,
    connect: () => tools.controllers.connectionOf(site),
  })
  const results = await diagnose(checks)
  const checked = { address, driver: site.driver, credentials: driver.credentials, ...factsOf(results) }
  return results.map(({ layer, result, ms, cause, detail = '' }) => ({
    layer,
    result,
    ms,
    detail: cause ? describeCheckCauseInTerminal({ cause, detail }, checked, site) : detail,
  }))
}

const certificateReasons: (UnreachableReason | undefined)[] = ['certificate_untrusted', 'certificate_changed']

/** Asks a controller. If its certificate is not accepted, the error shows the certificate and the command that pins it. */
export async function explainingCertificate<T>(
  tools: ControllerTools,
  { controller, controllerSite }: { controller: string; controllerSite: string },
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const stored = isAboutCertificate(error) && (await findStoredController(tools.db, controller))
    if (!stored) throw error
    const findings = await checkLayers(tools, { ...stored, controllerName: controller, controllerSite })
    const failed = findings.find(({ layer, result }) => layer === 'tls' && result === 'failed')
    throw failed ? new CommandRefused(`The certificate of "${controller}" is not accepted. ${failed.detail}`) : error
  }
}

function isAboutCertificate(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : undefined
  return cause instanceof ControllerError && certificateReasons.includes(cause.reason)
}
