import type { Queryable } from '#db/database.ts'
import type { Keyring } from '#lib/cipher.ts'
import { decryptUsername } from '../controllers/controller-credentials.ts'
import { listControllersAt } from '../controllers/controllers.queries.ts'
import { listSitesAt, type SiteAtAddress } from '../sites/sites.queries.ts'
import { type Inventory, type MovedController, type MovedSite, MoveRefused, type RowNote } from './inventory.ts'

/** `controllerIds`: the recorded controllers, by their keys. `newControllers` have no recorded one. `removed`: sites that are gone here. */
export type Places = {
  newSites: MovedSite[]
  newControllers: MovedController[]
  controllerIds: Map<string, string>
  removed: number[]
  notes: RowNote[]
}

/**
 * Finds the sites that are not recorded yet, and their controllers. A site is recorded if its number has the same site of the same
 * controller here, or if an earlier import brought it. Rejects sites whose number or whose site of the controller belongs to another one.
 */
export async function placeSites(
  db: Queryable,
  keyring: Keyring,
  { sites, controllers }: Pick<Inventory, 'sites' | 'controllers'>,
  broughtEarlier: Set<number>,
): Promise<Places> {
  const byKey = new Map(controllers.map((controller) => [controller.key, controller]))
  const controllerOf = ({ controllerKey }: MovedSite) => byKey.get(controllerKey) as MovedController
  const addresses = [...new Set(controllers.map(({ address }) => address))]
  const recorded = await listSitesAt(
    db,
    sites.map(({ id }) => id),
    addresses,
  )
  const isSame = (site: MovedSite, known: SiteAtAddress) =>
    known.controllerSite === site.controllerSite && known.address === controllerOf(site).address
  const byId = new Map(recorded.map((known) => [known.id, known]))
  const problems: RowNote[] = []
  const newSites: MovedSite[] = []
  const controllerIds = new Map<string, string>()
  const removed: number[] = []
  const notes: RowNote[] = []
  for (const site of sites) {
    const known = byId.get(site.id)
    const twin = recorded.find((other) => isSame(site, other))
    const at = { table: 'sites', id: site.id }
    if (known && isSame(site, known)) controllerIds.set(site.controllerKey, known.controllerId)
    else if (known && broughtEarlier.has(site.id))
      notes.push({
        ...at,
        reason: `In the tool, it is the site ${site.controllerSite} at ${controllerOf(site).address}; here, it is ${known.controllerSite} at ${known.address}. Change the wrong one.`,
      })
    else if (known)
      problems.push({
        ...at,
        reason: `Here, the number ${site.id} belongs to the site "${known.name}": ${known.controllerSite} at ${known.address}. In the tool, it is ${site.controllerSite} at ${controllerOf(site).address}. If both are the same site, correct its address with \`controllers set\`. Otherwise, remove it here with \`sites remove ${site.id}\` if it has no vouchers, or use --leave-out ${site.id}: clients that use ${site.id} then reach "${known.name}".`,
      })
    else if (broughtEarlier.has(site.id)) removed.push(site.id)
    else if (twin)
      problems.push({
        ...at,
        reason: `Here, its site of the controller is recorded as site ${twin.id}. Remove that one with \`sites remove ${twin.id}\` if it has no vouchers, or use --leave-out ${site.id}: clients that use ${site.id} must then use ${twin.id}.`,
      })
    else newSites.push(site)
  }
  if (problems.length > 0) throw new MoveRefused('These sites cannot keep their numbers.', problems)
  const needed = new Set(newSites.map(({ controllerKey }) => controllerKey))
  for (const { id, address, secret } of await listControllersAt(db, addresses))
    for (const key of needed) {
      const controller = byKey.get(key) as MovedController
      if (controllerIds.has(key) || controller.address !== address) continue
      if (decryptUsername(keyring, id, secret) === controller.username) controllerIds.set(key, id)
    }
  const newControllers = controllers.filter(({ key }) => needed.has(key) && !controllerIds.has(key))
  return { newSites, newControllers, controllerIds, removed, notes }
}
