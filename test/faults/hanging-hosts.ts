import { setTimeout as pause } from 'node:timers/promises'
import { seedWebhook } from '#test/data/seed.ts'
import { range } from '#test/load.ts'
import { report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import type { Mutant } from './mutants.ts'
import { startWorld, type World } from './world.ts'

type Run = {
  /** On one host, for each of the six sites. */
  webhooksPerSite: number
  events: number
  kills: number
  mutant?: Mutant
}

/**
 * A job of a killed worker is retried within 17 s, and a new worker needs a few seconds to start. An event that also waits
 * for attempts that hang takes longer.
 */
const boundMs = 30_000
const giveUpMs = 150_000

/**
 * A host with many webhooks begins to hang while the worker is killed now and then. Returns one sentence for each event that
 * a healthy receiver got late or not at all.
 */
export async function runWithHangingHosts({ webhooksPerSite, events, kills, mutant }: Run): Promise<string[]> {
  const world = await startWorld(mutant)
  const sites = world.controllers.flatMap((controller) => controller.sites.map(({ id }) => id))
  const hanging = await startWebhookSink('127.0.0.2')
  const webhooks = sites.length * webhooksPerSite
  for (const siteId of sites)
    for (const _ of range(webhooksPerSite)) await seedWebhook(world.db, { url: hanging.url, siteIds: [siteId] })
  for (const site of sites) await create(world, site)
  await becomeFast(world)

  hanging.answerWith('hang')
  const delays: Promise<number>[] = []
  for (const i of range(events)) {
    const id = await create(world, sites[i % sites.length] as number)
    delays.push(arrivalOf(world, id))
    if (i > 0 && i % Math.ceil(events / (kills + 1)) === 0) world.worker.kill()
    await pause(1_000)
  }
  const late = (await Promise.all(delays)).filter((ms) => ms > boundMs)
  report(`events beside ${webhooks} hanging webhooks, worker kills, hanging attempts, longest delay in ms`, [
    events,
    world.worker.kills,
    hanging.received.length - webhooks,
    Math.max(...(await Promise.all(delays))),
  ])
  return late.map((ms) => (ms === Number.POSITIVE_INFINITY ? 'an event did not arrive' : `an event was ${ms} ms late`))
}

/** Returns the id as the sink knows it. */
async function create({ apis: [api], keys }: World, siteId: number): Promise<string> {
  const answer = await call(`${api?.url}/api/v2/vouchers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.write}` },
    body: JSON.stringify({ site_id: siteId, name: 'Gast' }),
  })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
  const { id } = answer.json()
  return id.slice(id.indexOf('-') + 1)
}

async function becomeFast({ db }: World): Promise<void> {
  const endsAt = Date.now() + giveUpMs
  while ((await db.query('select from webhooks where is_slow')).rowCount !== 0) {
    if (Date.now() > endsAt) throw new Error('some webhooks got no event before the host began to hang')
    await pause(200)
  }
}

async function arrivalOf({ sink }: World, id: string): Promise<number> {
  const startedAt = performance.now()
  while (!sink.notified.has(id)) {
    if (performance.now() - startedAt > giveUpMs) return Number.POSITIVE_INFINITY
    await pause(20)
  }
  return Math.round(performance.now() - startedAt)
}
