import { setTimeout as pause } from 'node:timers/promises'
import { createRandom } from '#lib/random.ts'
import { report } from '#test/measuring.ts'
import { readAftermath, waitForQuiet } from '../faults/aftermath.ts'
import { check } from '../faults/checker.ts'
import { startClients } from '../faults/clients.ts'
import { reconcile } from '../history/sites.ts'
import { type Cluster, startCluster, type Way } from './cluster.ts'
import type { Machine } from './machines.ts'
import { requestLimit, startHaWorld } from './world.ts'

export type LossName = 'asynchronous standbys' | 'both standbys, then the leader'

type Loss = { isSynchronous: boolean; lose: (cluster: Cluster, old: Machine) => Promise<void> }

/** What this setup does not promise: the loss of the leader at a moment when no standby has its last commits. */
const losses: Record<LossName, Loss> = {
  /** The control: with asynchronous standbys, commits are confirmed although they reach no standby for two seconds. */
  'asynchronous standbys': {
    isSynchronous: false,
    async lose(cluster, old) {
      await old.signal('SIGSTOP', 'walsender')
      await pause(2_000)
      await cluster.lose(old)
    },
  },
  /**
   * Without `synchronous_mode_strict`, the leader goes on alone when both standbys are lost. If it is lost too, Patroni promotes
   * nobody. Somebody who forces it loses what was confirmed since.
   */
  'both standbys, then the leader': {
    isSynchronous: true,
    async lose(cluster, old) {
      const others = cluster.machines.filter((machine) => machine !== old)
      for (const machine of others) for (const each of ['patroni', 'postgres']) await machine.signal('SIGKILL', each)
      while ((await cluster.query<{ names: string }>(old, `select current_setting('synchronous_standby_names') as names`))[0]?.names) await pause(300) // biome-ignore format: one line
      await pause(5_000)
      await cluster.lose(old)
      for (const machine of others) cluster.startPatroni(machine)
      await pause(60_000)
      const leaders = (await cluster.members()).filter(({ role }) => role === 'leader')
      report('both standbys, then the leader: leaders that Patroni chose in 60 s', leaders.length)
      if (leaders.length === 0) await cluster.forceFailover(others[0] as Machine)
    },
  },
}

/** Loses vouchers on purpose. Returns what the checker says, and what `reconcile` lists of all that should be listed. */
export async function loseVouchers({ way, loss }: { way: Way; loss: LossName }) {
  const { isSynchronous, lose } = losses[loss]
  const cluster = await startCluster({ isSynchronous })
  const databaseUrl = cluster.url(way)
  const world = await startHaWorld(databaseUrl)
  const clients = startClients(world, createRandom(1), 6)
  const startedAt = Date.now()
  while (clients.done() < 50) await pause(100)
  const old = await cluster.leader()
  await lose(cluster, old)
  while ((await cluster.leader()) === old) await pause(200)
  const promotedAt = Date.now()
  while (!clients.history.some(({ code, startedAt: at }) => code && at > promotedAt)) await pause(100)
  await cluster.bringBack(old)
  await clients.finish()
  const windows = Math.floor((Date.now() - startedAt) / 60_000) + 1
  await waitForQuiet(world)
  const after = await readAftermath(world)
  const broken = check(clients, after, { limit: requestLimit, windows, storeLosses: 1 })
  const recorded = new Set(after.recorded.map(({ siteId, code }) => `${siteId} ${code}`))
  const onlyOnControllers = [...after.onControllers]
    .flatMap(([siteId, vouchers]) => vouchers.map(({ code }) => `${siteId} ${code}`))
    .filter((each) => !recorded.has(each))
  const listed = await reconcile(databaseUrl)
  const noticed = broken.filter((each) => each.includes('which is not recorded'))
  const lost = clients.history
    .filter(({ kind, code }) => kind === 'create' && code !== undefined)
    .map(({ site, code }) => `${site} ${code}`)
    .filter((each) => !recorded.has(each))
  report(`${loss}: acknowledged vouchers, of these lost, only on a controller, listed by reconcile`, [
    ...[clients.done(), noticed.length],
    ...[onlyOnControllers.length, listed.length],
  ])
  return {
    noticed,
    lost: [...new Set(lost)],
    onlyOnControllers: onlyOnControllers.toSorted(),
    listed: listed.toSorted(),
  }
}
