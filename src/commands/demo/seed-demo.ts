import type { Requester } from '#domain/actor.ts'
import { addController } from '#domain/controllers/add-controller.ts'
import { createVoucher, noOptions } from '#domain/creating/create-voucher.ts'
import { setPerson } from '#domain/people/administer-staff.ts'
import { openSetup, setUp } from '#domain/people/setup.ts'
import { toActor } from '#domain/people/sign-in.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { setGuestInfo } from '#domain/sites/guest-info.ts'
import { drivers } from '#drivers/registry.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import type { Context } from '../../context.ts'
import { commandActor } from '../terminal/terminal.ts'
import { type DemoController, siteReferences } from './start-controllers.ts'

const siteNames = ['Hauptgebäude', 'Nebengebäude', 'Seminarhaus', 'Baustelle']
const wifi = { wifiName: 'Hotel Guests', wifiPassword: 'welcome-to-the-demo', guestLanguages: ['de', 'en'] }
const guests = ['Familie Huber', 'Zimmer 12', 'Workshop', 'Fr. Dr. Novak']

/** `controllerSite` is the id of the site on its controller. */
export type DemoSite = {
  site: number
  name: string
  controller: DemoController
  controllerId: string
  controllerSite: string
}
export type DemoSites = { sites: DemoSite[]; inactiveSite: number }

/** Adds the controllers, an active site on each, and an inactive site. */
export async function seedSites(ctx: Context, controllers: DemoController[]): Promise<DemoSites> {
  const controllerIds: string[] = []
  for (const { name, driver, credentials, simulator } of controllers) {
    const certificatePin = parseFingerprint(simulator.fingerprint) as Buffer
    const { id } = await addController({ db: ctx.db, keyring: ctx.keyring, drivers }, commandActor(), {
      name,
      driver,
      address: simulator.url,
      credentials,
      certificatePin,
    })
    controllerIds.push(id)
  }
  const sites: DemoSite[] = []
  for (const [i, name] of siteNames.entries()) {
    const controller = controllers[i % controllers.length] as DemoController
    const controllerSite = siteReferences[i] as string
    const added = await addSite(ctx.db, commandActor(), {
      name,
      controller: controller.name,
      controllerSite,
      active: i < 3,
    })
    await setGuestInfo(ctx, commandActor(), added.id, { ...wifi, footer: `${name}, reception: dial 9` })
    const controllerId = controllerIds[i % controllers.length] as string
    sites.push({ site: added.id, name, controller, controllerId, controllerSite })
  }
  const inactive = sites.pop() as DemoSite
  return { sites, inactiveSite: inactive.site }
}

/** Creates the first administrator and templates, as the first run does, and returns the administrator. The web app uses the language of the browser. */
export async function seedAdministrator(
  ctx: Context,
  administrator: { token: string; email: string; password: string },
): Promise<Requester> {
  await openSetup(ctx.db, { keyring: ctx.keyring, given: administrator.token })
  const visitor = { address: '127.0.0.1', userAgent: 'demo', token: undefined }
  const { person } = await setUp(ctx, visitor, { ...administrator, name: 'Demo', language: 'en' })
  await setPerson(ctx.db, commandActor(), { id: person.id }, { language: null })
  return toActor(person, visitor)
}

/** Creates a few vouchers on each site, as a client with this key would. */
export async function seedVouchers(ctx: Context, key: { id: string; name: string }, sites: DemoSite[]): Promise<void> {
  const actor = { kind: 'key' as const, id: key.id, name: key.name, allSites: true }
  for (const { site: siteId } of sites) {
    for (const name of guests) {
      const limits = { maxUses: 1, expireMinutes: 480, downKbps: 0, upKbps: 0, quotaMb: 0 }
      const options = { limits, ...noOptions }
      await createVoucher(ctx, { actor, siteId, idempotencyKey: undefined, contents: [name, options], name, options })
    }
  }
}
