import { setTimeout as pause } from 'node:timers/promises'
import { report } from '#test/measuring.ts'
import { listV1, sendWithoutWaiting } from '../history/desks.ts'
import type { World } from './world.ts'

/** The first commits are given up after 5 s, the last ones that were under way a little later. */
const noticedAfterMs = 12_000
/** Probes of three processes, and commits that were given up at the last moment. */
const maxMoreWaiting = 6

/**
 * Takes the synchronous standby away for some seconds, while clients send new creations all the time. Returns one sentence if
 * server processes that wait for the standby pile up, and one if lists are not answered meanwhile.
 */
export async function withoutStandby({ db, apis, keys, controllers }: World, seconds: number): Promise<string[]> {
  const setStandby = async (names: string) => {
    await db.query(`alter system set synchronous_standby_names = '${names}'`)
    await db.query('select pg_reload_conf()')
  }
  const countWaiting = async () => {
    const waiting = `select count(*)::integer as count from pg_stat_activity where wait_event = 'SyncRep'`
    return (await db.query<{ count: number }>(waiting)).rows[0]?.count ?? 0
  }
  const siteId = controllers[0]?.sites[0]?.id ?? 0
  const hasty = apis.map(({ url }) => sendWithoutWaiting({ url, key: keys.write }, siteId))
  await setStandby('ANY 1 (*)')
  await pause(noticedAfterMs)
  const early = await countWaiting()
  let unanswered = 0
  for (let waited = noticedAfterMs; waited < seconds * 1_000; waited += 1_000) {
    const lists = await Promise.all(
      apis.map(({ url }) => listV1({ url, key: keys.read }, siteId).catch(() => undefined)),
    )
    unanswered += lists.filter((list) => list === undefined).length
    await pause(1_000)
  }
  const late = await countWaiting()
  await Promise.all(hasty.map((each) => each.stop()))
  await setStandby('')
  report('  without a standby: server processes that wait, early and late, and lists without an answer', [
    early,
    late,
    unanswered,
  ])
  return [
    ...(late > early + maxMoreWaiting ? [`${late - early} more commits wait for the standby`] : []),
    ...(unanswered > 0 ? [`${unanswered} lists were not answered without a standby`] : []),
  ]
}
