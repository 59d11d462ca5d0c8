import { addController } from '#domain/controllers/add-controller.ts'
import { createKey } from '#domain/keys/create-key.ts'
import type { Scope } from '#domain/keys/key.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { createVoucher } from '#domain/vouchers/create-voucher.ts'
import { parseFingerprint } from '#lib/fingerprint.ts'
import type { Context } from '../../context.ts'
import { type DemoController, siteReferences } from './start-controllers.ts'

const rateLimit = 10_000
const siteNames = ['Hauptgebäude', 'Nebengebäude', 'Seminarhaus', 'Baustelle']
const guests = ['Familie Huber', 'Zimmer 12', 'Workshop', 'Fr. Dr. Novak']

export type DemoSite = { site: number; name: string; controller: DemoController }
export type DemoData = { keys: { read: string; write: string }; sites: DemoSite[]; inactiveSite: number }

/** An active site on each controller, one inactive, two keys, and vouchers that were really made. */
export async function seedDemo(ctx: Context, controllers: DemoController[]): Promise<DemoData> {
  for (const { name, driver, credentials, simulator } of controllers) {
    const certificatePin = parseFingerprint(simulator.fingerprint) as Buffer
    await addController(ctx.db, ctx.keyring, { name, driver, address: simulator.url, credentials, certificatePin })
  }
  const sites: DemoSite[] = []
  for (const [i, name] of siteNames.entries()) {
    const controller = controllers[i % controllers.length] as DemoController
    const controllerSite = siteReferences[i] as string
    const added = await addSite(ctx.db, { name, controller: controller.name, controllerSite, active: i < 3 })
    sites.push({ site: added.id, name, controller })
  }
  const newKey = (name: string, scope: Scope) =>
    createKey(ctx.db, { name, scope, rateLimit, siteIds: undefined, expiresAt: null })
  const [read, write] = [await newKey('Demo read', 'read'), await newKey('Demo write', 'write')]
  const inactive = sites.pop() as DemoSite
  const actor = { apiKeyId: write.id, allSites: true, source: 'API: Demo write' }
  for (const { site: siteId } of sites) {
    for (const name of guests) {
      const shape = { name, maxUses: 1, expireMinutes: 480, downKbps: 0, upKbps: 0, quotaMb: 0 }
      const readWanted = async () => ({ shape, reference: null, validUntil: null })
      await createVoucher(ctx, { actor, siteId, idempotencyKey: undefined, contents: shape, readWanted })
    }
  }
  return { keys: { read: read.key, write: write.key }, sites, inactiveSite: inactive.site }
}
