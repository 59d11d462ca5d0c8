import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { range, withClients } from '#test/load.ts'
import { report, size } from '#test/measuring.ts'
import { type Answer, call } from '#test/network/http-client.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startService } from '#test/service.ts'

const keys = size(20, 2_000)
const env = { SETTLE_SECONDS: '10' }

test(`${keys} idempotency keys × 5 racing attempts while connections are cut: one voucher for each`, {
  timeout: 600_000,
}, async () => {
  const db = await createTestDatabase()
  const simulators = await Promise.all(range(4).map(() => startSimulator()))
  const toControllers = await Promise.all(
    simulators.map(({ url }) => startTcpProxy({ host: '127.0.0.1', port: Number(new URL(url).port) })),
  )
  const sites = await Promise.all(
    simulators.map(({ apiKey }, i) =>
      seedControlledSite(db, { url: `http://127.0.0.1:${toControllers[i]?.port}`, apiKey }),
    ),
  )
  const services = await Promise.all([startService(db.url, env), startService(db.url, env)])
  await startService(db.url, env, 'worker')
  const toServices = await Promise.all(
    services.map(({ url }) => startTcpProxy({ host: '127.0.0.1', port: Number(new URL(url).port) })),
  )
  const { key } = await seedKey(db, { scope: 'write' })
  const codes = new Map<number, Set<string>>()
  const outcomes = new Map<string, number>()
  let over = false

  /** Cuts the open connections of one service or controller after another. */
  async function cutNowAndThen(): Promise<number> {
    const links = [...toServices, ...toControllers]
    for (let cuts = 0; ; cuts++) {
      if (over) return cuts
      links[cuts % links.length]?.cutOnce()
      await pause(150)
    }
  }

  const cutting = cutNowAndThen()
  await withClients(32, range(keys * 5), async (i) => {
    const one = i % keys
    for (;;) {
      const answer: Answer | undefined = await call(`http://127.0.0.1:${toServices[i % 2]?.port}/api/vouchers.php`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'idempotency-key': `key-${one}` },
        body: JSON.stringify({ site_id: sites[one % sites.length], name: `Gast ${one}` }),
      }).catch(() => undefined)
      const outcome = String(answer?.status ?? 'cut')
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      if (answer?.status === 201) return void codes.set(one, (codes.get(one) ?? new Set()).add(answer.json().code))
      await pause(50)
    }
  })
  over = true
  const cuts = await cutting
  report(
    `${keys} keys × 5, cuts ${cuts}, attempts by outcome`,
    [...outcomes].map(([what, times]) => `${what}: ${times}`).join(', '),
  )
  const onControllers = (await Promise.all(simulators.map((simulator) => simulator.vouchers()))).flat()

  expect([...codes.values()].filter((known) => known.size !== 1)).toEqual([])
  expect(codes.size).toBe(keys)
  expect(
    onControllers
      .filter(({ deleted }) => !deleted)
      .map(({ code }) => code)
      .toSorted(),
  ).toEqual([...codes.values()].flatMap((known) => [...known]).toSorted())
})
