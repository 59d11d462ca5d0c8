import { beforeEach, expect, test, vi } from 'vitest'
import { countControllerStates } from '#domain/controllers/controller-states.queries.ts'
import { probeIdleController } from '#domain/outages/probe-idle-controller.ts'
import { createProbeSchedule, probeLimits } from '#domain/outages/probe-schedule.ts'
import { type IdleController, listControllersToProbe, takeDueProbes } from '#domain/outages/probes.queries.ts'
import { probeOutage } from '#domain/outages/track-outages.ts'
import { startApp } from '#test/app.ts'
import { seedControlledSite, seedController, seedSite } from '#test/data/seed.ts'
import { allDialects, startSimulator } from '#test/network/simulator.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { createIdleProbing } from './idle-probing.ts'

/** The same rules as in production, with shorter times. */
const limits = { ...probeLimits, idleMs: 200, retryMs: 100, perSecondOfHost: 25 }

const { db, context } = await startApp() // without a worker

const simulators = await Promise.all(
  allDialects.map(async ({ driver, flavour }) => {
    const simulator = await startSimulator('--https', '--flavour', flavour)
    const siteId = await seedControlledSite(db, simulator, { driver })
    const { rows } = await db.query<{ id: string; name: string }>(
      `update controllers set certificate_pin = decode(replace($2, ':', ''), 'hex')
        where id = (select controller_id from sites where id = $1) returning id, name`,
      [siteId, simulator.fingerprint],
    )
    return { ...simulator, controller: rows[0] as { id: string; name: string } }
  }),
)
const [first] = simulators as [(typeof simulators)[0]]
await seedSite(db) // a controller without credentials
await seedController(db) // and one without a site

beforeEach(async () => {
  for (const simulator of simulators) await simulator.forget()
  await db.query('delete from controller_outages')
})

/** Starts probing with a database that counts statements. `stop` ends it. */
function startProbing({ isElected = (): boolean => true } = {}) {
  const statements: string[] = []
  const counted = {
    ...db,
    query: ((text: string, values?: unknown[]) => {
      statements.push(text)
      return db.query(text, values)
    }) as typeof db.query,
    transaction: ((work: Parameters<typeof db.transaction>[0]) => {
      statements.push('begin')
      return db.transaction(work)
    }) as typeof db.transaction,
  }
  const { sweep, lane } = createIdleProbing(
    { ...context, db: counted, queue: { ...context.queue, isElected, enqueue: async () => 0 } },
    limits,
  )
  const sweeping = setInterval(() => void sweep(), 20)
  const stop = async () => {
    clearInterval(sweeping)
    await lane.stop()
  }
  onFileEnd(stop)
  return { statements, stop }
}

const probesOf = async (simulator: (typeof simulators)[0]) => (await simulator.requests()).length
const untilProbed = (simulator: (typeof simulators)[0], times: number) =>
  vi.waitFor(async () => expect(await probesOf(simulator)).toBeGreaterThanOrEqual(times), { timeout: 30_000 })
const outages = async () =>
  (await db.query('select controller_id as id, reason from controller_outages where until is null')).rows
const untilOut = (reason: string) =>
  vi.waitFor(async () => expect(await outages()).toEqual([{ id: first.controller.id, reason }]), { timeout: 30_000 })

test('while all controllers answer, a probe is one request without a sign-in, and nothing is written', async () => {
  const { statements, stop } = startProbing()
  for (const simulator of simulators) await untilProbed(simulator, 4)
  await stop()

  for (const simulator of simulators) {
    const requests = await simulator.requests()
    expect(new Set(requests.map(({ method, path }) => `${method} ${path}`))).toEqual(new Set(['GET /']))
    expect(await simulator.signIns()).toEqual([])
  }
  expect(new Set(statements.map((text) => text.split(' ')[0]))).toEqual(new Set(['select']))
  expect(await outages()).toEqual([])
})

test('a controller that stops answering gets an outage with its reason, and a later probe ends it', async () => {
  await first.behave({ booting: true })
  const { stop } = startProbing()
  await untilOut('broken')
  await stop()
  expect(await countControllerStates(db)).toContainEqual({ state: 'unreachable', count: 1 })

  await first.behave({ booting: false })
  const site = (await takeDueProbes(db, 1))[0]
  if (site) await probeOutage({ ...context, queue: { ...context.queue, enqueue: async () => 0 } }, site)
  expect(await outages()).toEqual([])
})

test('a controller with an outage is left to the probes of outages', async () => {
  await db.query('insert into controller_outages (controller_id) values ($1)', [first.controller.id])
  const { stop } = startProbing()
  await untilProbed(simulators[1] as typeof first, 4)
  await stop()

  expect(await probesOf(first)).toBe(0)
})

test('one lost probe is no outage', async () => {
  const { stop } = startProbing()
  await first.fault('reset', { on: 'any' })
  await untilProbed(first, 5)
  await stop()

  expect((await first.requests()).filter(({ path }) => path !== '/')).toEqual([]) // nothing had to be confirmed
  expect(await db.query('select from controller_outages')).toMatchObject({ rowCount: 0 })
})

test('a broken start page is no outage while vouchers can be read', async () => {
  const { stop } = startProbing()
  await first.fault('gateway-html', { on: 'any', times: 2 }) // the third request is the read that confirms an outage
  await vi.waitFor(
    async () => expect((await first.requests()).map(({ path }) => path).join()).toContain('/hotspot/vouchers'),
    { timeout: 30_000 },
  )
  await untilProbed(first, 6)
  await stop()

  expect(await db.query('select from controller_outages')).toMatchObject({ rowCount: 0 })
})

test('a certificate that is not the pinned one is an outage with that reason, and no request is sent', async () => {
  const pin = async (certificatePin: Buffer) =>
    (
      await db.query<{ before: Buffer }>(
        `update controllers c set certificate_pin = $2 from controllers old
          where c.id = $1 and old.id = c.id returning old.certificate_pin as before`,
        [first.controller.id, certificatePin],
      )
    ).rows[0]?.before as Buffer
  const before = await pin(Buffer.alloc(32))
  const { stop } = startProbing()
  await untilOut('certificate_changed')
  await stop()
  await pin(before)

  expect(await first.requests()).toEqual([])
})

test('a worker that is not elected sends nothing and reads nothing', async () => {
  let elected = false
  const { statements, stop } = startProbing({ isElected: () => elected })
  const other = startProbing()
  await untilProbed(first, 3)
  await other.stop()
  expect(statements).toEqual([])

  elected = true
  await vi.waitFor(() => expect(statements).not.toEqual([]), 60_000)
  await stop()
})

test('a worker that is no longer elected records no outage', async () => {
  await first.behave({ booting: true })
  const schedule = createProbeSchedule<IdleController>()
  schedule.update(await listControllersToProbe(db), 0)
  const [controller] = (await listControllersToProbe(db)).filter(({ id }) => id === first.controller.id)
  const probeTwice = async (isElected: boolean) => {
    const ctx = {
      ...context,
      queue: { ...context.queue, enqueue: async () => 0 },
      schedule,
      isElected: () => isElected,
    }
    for (let i = 0; i < 2; i++) await probeIdleController(ctx, controller as IdleController)
    return (await outages()).length
  }

  expect([await probeTwice(false), await probeTwice(true)]).toEqual([0, 1])
})
