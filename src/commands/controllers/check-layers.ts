import { findStoredController, type StoredController } from '#domain/controllers/controllers.queries.ts'
import { DomainError } from '#domain/errors.ts'
import { ControllerError, type UnreachableReason } from '#drivers/driver.ts'
import type { LayerFinding } from '#drivers/layer-check.ts'
import { shellWord } from '#lib/shell-word.ts'
import type { ControllerTools } from '../connections.ts'
import { CommandRefused } from '../terminal/refusals.ts'

type SiteOnController = StoredController & { controllerName: string; controllerSite: string }

/** Checks layer by layer whether the vouchers of a site can be read. The findings name the commands that correct a failure. */
export async function checkLayers({ controllers, addressPolicy }: ControllerTools, site: SiteOnController) {
  const { diagnose } = await import('#drivers/layer-check.ts')
  const { address, certificatePin, controllerSite } = site
  const set = `voucher-service controllers set ${shellWord(site.controllerName)}`
  const driver = controllers.driverOf(site)
  const username = driver.credentials === 'login' ? ' --username …' : ''
  return diagnose(
    driver.layerChecks({
      address,
      certificatePin,
      addressPolicy,
      withholdCredentials: async () => (site.secret === null ? 'credentials_missing' : undefined),
      controllerSite,
      connect: () => controllers.connectionOf(site),
      credentialsCommand: `${set}${username} --new-secret`,
      pinCommand: (fingerprint) => `${set} --pin ${fingerprint} --new-secret`,
    }),
  )
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
    const findings: LayerFinding[] = await checkLayers(tools, { ...stored, controllerName: controller, controllerSite })
    const failed = findings.find(({ layer, result }) => layer === 'tls' && result === 'failed')
    throw failed ? new CommandRefused(`The certificate of "${controller}" is not accepted. ${failed.detail}`) : error
  }
}

function isAboutCertificate(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : undefined
  return cause instanceof ControllerError && certificateReasons.includes(cause.reason)
}
