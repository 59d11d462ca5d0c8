import { expect, test } from 'vitest'
import { isLong } from '#test/measuring.ts'
import { createProbeSchedule, probeLimits, type ScheduledController } from './probe-schedule.ts'

const { idleMs, retryMs, perSecond, perSecondOfHost } = probeLimits
const stepMs = 200
const minutes = (count: number) => count * 60_000

const controllers = (count: number, address = (n: number) => `https://10.0.${n >> 8}.${n & 255}`) =>
  Array.from({ length: count }, (_, n): ScheduledController => ({ id: `c${n}`, address: address(n), idleMs: null }))

type Probe = { id: string; atMs: number }

/** Runs the schedule like the worker does, with the given answers, and returns all probes. */
function runSchedule(
  list: ScheduledController[],
  { forMs, answers = () => true }: { forMs: number; answers?: (id: string, nowMs: number) => boolean },
) {
  const schedule = createProbeSchedule()
  const probes: Probe[] = []
  const confirmed: Probe[] = []
  schedule.update(list, 0)
  for (let nowMs = 0; nowMs <= forMs; nowMs += stepMs)
    for (const { id } of schedule.takeDue(nowMs, 1_000)) {
      probes.push({ id, atMs: nowMs })
      if (answers(id, nowMs)) schedule.noteContact(id, nowMs)
      else if (schedule.noteSilence(id, nowMs)) {
        confirmed.push({ id, atMs: nowMs })
        schedule.remove(id)
      }
    }
  return { probes, confirmed }
}

/** The most probes that began within a second. */
function mostPerSecond(probes: Probe[]): number {
  return Math.max(...probes.map(({ atMs }) => probes.filter((p) => p.atMs >= atMs && p.atMs < atMs + 1_000).length))
}

test('a controller is probed after each minute without contact, and not before', () => {
  const { probes } = runSchedule(controllers(1), { forMs: minutes(5) })

  expect(probes.map(({ atMs }) => atMs)).toEqual([1, 2, 3, 4, 5].map(minutes))
})

test('a recorded contact postpones the probe', () => {
  const schedule = createProbeSchedule()
  const [controller] = controllers(1) as [ScheduledController]
  schedule.update([controller], 0)
  schedule.update([{ ...controller, idleMs: 10_000 }], 50_000)

  expect(schedule.takeDue(idleMs, 10)).toEqual([])
  expect(schedule.takeDue(40_000 + idleMs, 10)).toHaveLength(1)
})

test('one probe without an answer is retried after a few seconds, and confirms nothing', () => {
  const lost = (_: string, nowMs: number) => nowMs !== minutes(2)
  const { probes, confirmed } = runSchedule(controllers(1), { forMs: minutes(3) + retryMs, answers: lost })

  expect(probes.map(({ atMs }) => atMs)).toEqual([1, 2, 3].map(minutes).toSpliced(2, 1, minutes(2) + retryMs, minutes(3) + retryMs)) // biome-ignore format: one line
  expect(confirmed).toEqual([])
})

test('two lost probes in different minutes confirm nothing', () => {
  const lost = (_: string, nowMs: number) => nowMs !== minutes(1) && nowMs !== minutes(2) + retryMs
  const { probes, confirmed } = runSchedule(controllers(1), { forMs: minutes(4), answers: lost })

  expect(probes).toHaveLength(5)
  expect(confirmed).toEqual([])
})

test.each([
  { count: 80, withinMs: idleMs + 4_000 + retryMs },
  { count: 5_000, withinMs: minutes(4) },
  ...(isLong ? [{ count: 50_000, withinMs: minutes(35) }] : []),
])('of $count controllers, a dead one is confirmed within $withinMs ms', ({ count, withinMs }) => {
  const diesAt = Math.max(minutes(2), (count / perSecond) * 1_000 + idleMs)
  const { probes, confirmed } = runSchedule(controllers(count), {
    forMs: diesAt + withinMs,
    answers: (id, nowMs) => nowMs < diesAt || id !== `c${count >> 1}`,
  })

  expect(confirmed.map(({ id }) => id)).toEqual([`c${count >> 1}`])
  expect(probes.length).toBeLessThanOrEqual(((diesAt + withinMs) / 1_000) * perSecond + perSecond)
})

test('the rate is limited, also if every controller is dead', () => {
  const { probes, confirmed } = runSchedule(controllers(1_000), { forMs: minutes(3), answers: () => false })

  expect(mostPerSecond(probes)).toBeLessThanOrEqual(perSecond * 1.5)
  expect(mostPerSecond(probes)).toBeGreaterThanOrEqual(perSecond - 1)
  expect(confirmed).toHaveLength(1_000)
  expect(mostPerSecond(confirmed)).toBeLessThanOrEqual(perSecond * 1.5)
})

test('a probe is repeated in time, although many controllers wait', () => {
  const { confirmed } = runSchedule(controllers(5_000), { forMs: minutes(3), answers: (id) => id !== 'c700' })
  const firstProbeAt = idleMs + (700 / perSecond) * 1_000

  expect(confirmed.map(({ id }) => id)).toEqual(['c700'])
  expect(confirmed[0]?.atMs).toBeLessThan(firstProbeAt + retryMs + 2_000)
})

test('a sweep that comes late does not send the probes that it missed', () => {
  const schedule = createProbeSchedule()
  schedule.update(controllers(1_000), 0)
  schedule.takeDue(minutes(1), 1_000)

  expect(schedule.takeDue(minutes(3), 1_000).length).toBeLessThanOrEqual(perSecond / 2)
})

test('consoles behind one address share a budget, and do not delay other controllers', () => {
  const cloud = controllers(300, (n) => `https://api.ui.com/v1/connector/consoles/${n}`)
  const others = controllers(50).map((each) => ({ ...each, id: `other ${each.id}` }))
  const { probes } = runSchedule([...cloud, ...others], { forMs: minutes(2) })
  const [ofCloud, ofOthers] = [
    probes.filter(({ id }) => id.startsWith('c')),
    probes.filter(({ id }) => id.startsWith('o')),
  ]

  expect(mostPerSecond(ofCloud)).toBe(perSecondOfHost)
  expect(new Set(ofCloud.map(({ id }) => id)).size).toBe(ofCloud.length) // the longest wait comes first
  expect(ofOthers.filter(({ atMs }) => atMs <= minutes(1) + 3_000)).toHaveLength(50)
})

test('a controller with a new address is probed there, within the budget of the new host', () => {
  const schedule = createProbeSchedule()
  schedule.update(controllers(4), 0)
  const moved = controllers(4, () => 'https://api.ui.com/v1')
  schedule.update(moved, 1_000)

  expect(schedule.takeDue(idleMs, 10)).toEqual(moved.slice(0, 1))
})

test('a controller is not taken again before its result is noted', () => {
  const schedule = createProbeSchedule()
  schedule.update(controllers(1), 0)
  const takenAfter = (count: number) => schedule.takeDue(minutes(count), 10).length

  expect([takenAfter(1), takenAfter(2)]).toEqual([1, 0])
  schedule.update(controllers(1), minutes(2))
  expect(takenAfter(3)).toBe(0)
  schedule.noteSilence('c0', minutes(3))
  expect(takenAfter(4)).toBe(1)
  expect(schedule.noteSilence('c0', minutes(4))).toBe(true)
  expect(takenAfter(5)).toBe(0) // until the outage is confirmed or not
  schedule.noteContact('c0', minutes(5))
  expect(takenAfter(6)).toBe(1)
})

test('a controller that is no longer listed is not probed, even if its last probe had no answer', () => {
  const schedule = createProbeSchedule()
  schedule.update(controllers(2), 0)
  schedule.takeDue(minutes(1), 10)
  schedule.noteSilence('c0', minutes(1))
  schedule.update([], minutes(1))

  expect(schedule.noteSilence('c1', minutes(1))).toBe(false)
  schedule.noteContact('c1', minutes(1))
  expect(schedule.takeDue(minutes(5), 10)).toEqual([])
})
