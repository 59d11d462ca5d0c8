import { addController } from '#domain/controllers/add-controller.ts'
import { createKey } from '#domain/keys/create-key.ts'
import type { Scope } from '#domain/keys/key.ts'
import { addSite } from '#domain/sites/add-site.ts'
import { createVoucher } from '#domain/vouchers/create-voucher.ts'
import type { Context } from '../../context.ts'
import type { RunningSimulator } from './start-simulator.ts'

const rateLimit = 10_000
const siteNames = ['Hauptgebäude', 'Nebengebäude', 'Seminarhaus', 'Baustelle']
const guests = ['Familie Huber', 'Zimmer 12', 'Workshop', 'Fr. Dr. Novak']

export type DemoData = { keys: { read: string; write: string }; sites: number[]; inactiveSite: number }

/** Three active sites, one inactive, two keys, and vouchers that were really made on the controller. */
export async function seedDemo(ctx: Context, simulator: RunningSimulator): Promise<DemoData> {
  const controller = 'Demo-Controller'
  await addController(ctx.db, ctx.keyring, {
    name: controller,
    driver: 'unifi-integration',
    address: simulator.url,
    credentials: { apiKey: simulator.apiKey },
  })
  const ids: number[] = []
  for (const [i, name] of siteNames.entries()) {
    const controllerSite = simulator.siteReferences[i] as string
    ids.push((await addSite(ctx.db, { name, controller, controllerSite, active: i < 3 })).id)
  }
  const newKey = (name: string, scope: Scope) =>
    createKey(ctx.db, { name, scope, rateLimit, siteIds: undefined, expiresAt: null })
  const [read, write] = [await newKey('Demo read', 'read'), await newKey('Demo write', 'write')]
  const [inactiveSite, ...others] = ids.toReversed() as [number, ...number[]]
  const sites = others.toReversed()
  const actor = { apiKeyId: write.id, allSites: true, source: 'API: Demo write' }
  for (const siteId of sites) {
    for (const name of guests) {
      const shape = { name, maxUses: 1, expireMinutes: 480, downKbps: 0, upKbps: 0, quotaMb: 0 }
      await createVoucher(ctx, { actor, siteId, shape, idempotencyKey: undefined })
    }
  }
  return { keys: { read: read.key, write: write.key }, sites, inactiveSite }
}
