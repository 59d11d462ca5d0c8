import type { Maker } from '#domain/actor.ts'
import type { Scope } from '#domain/keys/key.ts'
import type { Context } from '../../context.ts'
import { seedWebhooks } from './history/seed-deliveries.ts'
import { seedHistory } from './history/seed-history.ts'
import type { ReceiverUrls } from './receive-webhooks.ts'
import { type DemoSites, seedAdministrator, seedSites } from './seed-demo.ts'
import { seedMakers } from './seed-makers.ts'
import type { DemoController } from './start-controllers.ts'

/** `hotelSystem` is the key that checks guests in. */
export type House = DemoSites & { keys: Record<Scope, string>; hotelSystem: Pick<Maker, 'id' | 'name'> }

type HouseRequest = {
  controllers: DemoController[]
  receiver: ReceiverUrls
  administrator: { token: string; email: string; password: string }
}

/** Fills an empty database with a hotel: its sites, people, keys and webhooks, and what happened there in the last 60 days. */
export async function seedHouse(ctx: Context, { controllers, receiver, administrator }: HouseRequest): Promise<House> {
  const { sites, inactiveSite } = await seedSites(ctx, controllers)
  const admin = await seedAdministrator(ctx, administrator)
  const [main, annex, seminar] = sites.map(({ site }) => site) as [number, number, number]
  const makers = await seedMakers(ctx, admin, [main, annex, seminar])
  const webhooks = await seedWebhooks(ctx, admin, { receiver, annex })
  await seedHistory(ctx, { sites, makers, webhooks })
  const { display, hotelSystem, automation } = makers.keys
  const keys = { read: display.key, write: hotelSystem.key, manage: automation.key }
  return { sites, inactiveSite, keys, hotelSystem: { id: hotelSystem.id, name: hotelSystem.name } }
}
