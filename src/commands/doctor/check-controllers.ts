import type { Database } from '#db/database.ts'
import { createControllers } from '#domain/controllers/controllers.ts'
import { findSiteWithController } from '#domain/sites/sites.queries.ts'
import { createControllerAddressPolicy } from '#drivers/controller-address-policy.ts'
import { drivers } from '#drivers/registry.ts'
import type { Clock } from '#lib/clock.ts'
import { shellWord } from '#lib/shell-word.ts'
import type { Config } from '../../config.ts'
import type { ControllerTools } from '../connections.ts'
import { testSite } from '../sites/sites.ts'
import { type ControllerToCheck, listControllersToCheck } from './doctor.queries.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, problem } = findingsOf('controllers')

const atOnce = 8
const clockWarningMs = 60_000

/** Tests each controller layer by layer, as `sites test` does, on its first active site. */
export async function* checkControllers(ctx: { db: Database; config: Config; clock: Clock }): AsyncGenerator<Finding> {
  const { db, config, clock } = ctx
  const addressPolicy = createControllerAddressPolicy(config)
  const controllers = createControllers({ drivers, db, keyring: config.encryptionKeys, addressPolicy, clock })
  const all = await listControllersToCheck(db)
  let healthy = 0
  try {
    for (let i = 0; i < all.length; i += atOnce) {
      const part = all.slice(i, i + atOnce)
      const found = await Promise.all(part.map((each) => checkController({ db, controllers, addressPolicy }, each)))
      healthy += found.filter((finding) => finding === undefined).length
      yield* found.flatMap((finding) => finding ?? [])
    }
  } finally {
    await controllers.close()
  }
  if (all.length === 0)
    yield warning('There is no controller yet.', 'Add one in the web app, or with `voucher-service controllers add`.')
  else if (healthy > 0) yield ok(`All tests passed on ${healthy} of ${all.length} controllers.`)
}

/** Undefined when the controller passes every check. */
async function checkController(tools: ControllerTools, controller: ControllerToCheck): Promise<Finding | undefined> {
  const { name, siteId } = controller
  if (siteId === null)
    return warning(
      `The controller "${name}" has no active site, so it was not tested.`,
      `Activate one of its sites with \`voucher-service sites activate\`, add one with \`voucher-service sites add --name … --controller ${shellWord(name)}\`, or remove its sites and the controller.`,
    )
  const again = `Correct this, e.g. with \`voucher-service controllers set ${shellWord(name)}\`, then run \`voucher-service sites test ${siteId}\`.`
  try {
    const failed = (await testSite(tools, siteId)).find(({ result }) => result === 'failed')
    if (failed) return problem(`The controller "${name}" fails at ${failed.layer}: ${failed.detail}`, again)
  } catch (error) {
    return problem(`The controller "${name}" cannot be tested: ${(error as Error).message}.`, again)
  }
  return judgeClock(name, await findClockAhead(tools, siteId))
}

/** How far the clock of the controller is ahead, by the header `Date` of its answers. */
async function findClockAhead({ db, controllers }: ControllerTools, siteId: number): Promise<number> {
  const site = await findSiteWithController(db, siteId)
  return (site && controllers.openConnectionOf(site)?.measuredAheadMs()) ?? 0
}

export function judgeClock(name: string, aheadMs: number): Finding | undefined {
  if (Math.abs(aheadMs) < clockWarningMs) return undefined
  const minutes = Math.round(Math.abs(aheadMs) / 60_000)
  return warning(
    `The clock of the controller "${name}" is ${minutes} min ${aheadMs > 0 ? 'ahead' : 'behind'}.`,
    'Turn on NTP on the controller: vouchers end by its clock.',
  )
}
