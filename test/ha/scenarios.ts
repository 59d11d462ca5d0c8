import { setTimeout as pause } from 'node:timers/promises'
import type { Attempt } from '../faults/checker.ts'
import type { Cluster } from './cluster.ts'
import type { Machine } from './machines.ts'

/** What a scenario acts on. `history` grows while it runs. */
export type Scene = { cluster: Cluster; history: Attempt[] }

/** What somebody at the desk notices, and promises that were seen broken. */
export type Outcome = { secondsWithoutWrites: number; untilPromoted?: number; broken: string[] }

export type ScenarioName =
  | 'leader lost'
  | 'leader frozen'
  | 'network split'
  | 'switchover'
  | 'synchronous standby lost'
  | 'etcd lost'

/** How long the other side has to do something wrong, after a machine was replaced and before it returns. */
const waitMs = 5_000
/** Far beyond every promise. If a leader with a lower timeline takes over, no process with several hosts uses it. */
const writtenWithinMs = 180_000

export const scenarios: Record<ScenarioName, (scene: Scene) => Promise<Outcome>> = {
  /** The machine of the leader loses its network and its power. It comes back later, with its disk. */
  'leader lost': async (scene) => {
    const old = await scene.cluster.leader()
    return replaced(
      scene,
      old,
      () => scene.cluster.lose(old),
      () => scene.cluster.bringBack(old),
    )
  },
  /**
   * Everything on the machine of the leader stops, and goes on later as if nothing had happened. Fails sometimes with Patroni 3.0.2:
   * a leader that froze in the middle of its loop overwrites the lock of the new leader (docs/high-availability.md).
   */
  'leader frozen': async (scene) => {
    const old = await scene.cluster.leader()
    return replaced(
      scene,
      old,
      () => old.signal('SIGSTOP'),
      () => old.signal('SIGCONT'),
    )
  },
  /** The machine of the leader runs on without a network. */
  'network split': async (scene) => {
    const old = await scene.cluster.leader()
    return replaced(
      scene,
      old,
      () => old.unplug(),
      () => old.plug(),
    )
  },
  /** Somebody moves the leader to the synchronous standby. */
  switchover: async (scene) => {
    const old = await scene.cluster.leader()
    const next = await scene.cluster.synchronousStandby()
    return replaced(
      scene,
      old,
      () => scene.cluster.switchOver(old, next),
      async () => {},
    )
  },
  /** The machine of the synchronous standby is lost. Commits wait until the other standby takes its place. */
  'synchronous standby lost': async ({ cluster, history }) => {
    const lost = await cluster.synchronousStandby()
    const at = Date.now()
    await cluster.lose(lost)
    await until(async () => (await cluster.synchronousStandby()) !== lost)
    await untilWritten(history, Date.now())
    const secondsWithoutWrites = longestGap(history, at)
    await cluster.bringBack(lost)
    await cluster.whole()
    return { secondsWithoutWrites, broken: [] }
  },
  /** Two of three etcd are lost for longer than the ttl. The failsafe mode of Patroni keeps the leader. */
  'etcd lost': async ({ cluster, history }) => {
    const leader = await cluster.leader()
    const others = cluster.machines.filter((machine) => machine !== leader)
    const at = Date.now()
    for (const machine of others) await machine.signal('SIGKILL', 'etcd')
    await pause(40_000)
    for (const machine of others) cluster.startEtcd(machine)
    await cluster.whole()
    await untilWritten(history, Date.now())
    const isSame = (await cluster.leader()) === leader
    return { secondsWithoutWrites: longestGap(history, at), broken: isSame ? [] : ['the leader has changed'] }
  },
}

/** Another machine becomes the leader. The old one returns, becomes a standby, and no process of the service uses it. */
async function replaced(
  { cluster, history }: Scene,
  old: Machine,
  end: () => Promise<void>,
  comeBack: () => Promise<void>,
): Promise<Outcome> {
  const at = Date.now()
  await end()
  await until(async () => (await cluster.leader()) !== old)
  const promotedAt = Date.now()
  await untilWritten(history, promotedAt) // the old leader may confirm vouchers until then
  // Asked on the machine itself, which may be cut off. A frozen or lost one does not answer.
  const twoLeaders = (await cluster.acceptsWrites(old)) ? ['the old leader accepts writes beside the new one'] : []
  const untilPromoted = (promotedAt - at) / 1_000
  const secondsWithoutWrites = longestGap(history, at)
  await pause(waitMs)
  await comeBack()
  await cluster.whole()
  await untilWritten(history, Date.now())
  const strays = await listServiceConnections(cluster, old)
  return {
    secondsWithoutWrites,
    untilPromoted,
    broken: [...twoLeaders, ...strays.map(({ name }) => `${name} is connected to the old leader`)],
  }
}

/** The connections of the service to a machine. Its server may still restart, to follow the new leader. */
async function listServiceConnections(cluster: Cluster, machine: Machine): Promise<{ name: string }[]> {
  const text = `select application_name as name from pg_stat_activity where application_name like 'voucher-service%'`
  for (;;) {
    const rows = await cluster.query<{ name: string }>(machine, text).catch(() => undefined)
    if (rows) return rows
    await pause(500)
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(100)
}

/** Waits for a voucher that was asked for after this time. Without one, the clients would repeat their requests for ever. */
async function untilWritten(history: Attempt[], since: number): Promise<void> {
  const endsAt = Date.now() + writtenWithinMs
  await until(async () => {
    if (Date.now() > endsAt) throw new Error(`no voucher was confirmed for ${writtenWithinMs / 1_000} s`)
    return history.some((attempt) => isWritten(attempt) && attempt.startedAt > since)
  })
}

/** The longest time between two acknowledged vouchers, the first of them before or after `at`. */
function longestGap(history: Attempt[], at: number): number {
  const times = history
    .filter(isWritten)
    .map(({ endedAt }) => endedAt)
    .toSorted((a, b) => a - b)
  const first = Math.max(
    times.findLastIndex((time) => time <= at),
    0,
  )
  const gaps = times.slice(first + 1).map((time, i) => time - (times[first + i] as number))
  return Math.max(0, ...gaps) / 1_000
}

function isWritten({ kind, status }: Attempt): boolean {
  return kind === 'create' && status === 201
}
