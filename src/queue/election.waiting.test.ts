import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { type Listener, startListener } from './wake-ups.ts'

const db = await createTestDatabase()

function listen(url: string, name = 'election'): Listener {
  const connection = { connectionString: url, application_name: name } // a silent statement never fails
  const listener = startListener({ connection, onWake: () => {}, onListening: () => {}, onError: () => {} })
  onFileEnd(() => listener.stop())
  return listener
}

const untilElected = (listener: Listener, timeout = 30_000) =>
  vi.waitFor(() => expect(listener.isElected()).toBe(true), { timeout, interval: 20 })

/** Counts the moments at which both are elected. */
function watchBoth(a: Listener, b: Listener) {
  let both = 0
  const watching = setInterval(() => {
    if (a.isElected() && b.isElected()) both += 1
  }, 10)
  onFileEnd(() => clearInterval(watching))
  return () => both
}

test('one worker is elected, and another one as soon as its session ends', async () => {
  const holder = listen(db.url, 'holder')
  await untilElected(holder)
  const next = listen(db.url)
  const both = watchBoth(holder, next)
  await vi.waitFor(async () => {
    const { rowCount } = await db.query(`select from pg_stat_activity where application_name = 'election'`)
    expect(rowCount).toBe(1)
  })
  expect(next.isElected()).toBe(false)

  await db.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holder'`)
  await vi.waitFor(() => expect([holder, next].filter((each) => each.isElected())).toHaveLength(1), { timeout: 30_000 })
  await holder.stop()
  await untilElected(next)
  expect(both()).toBe(0)
  await next.stop()
})

test('a worker whose connection is silent is not elected any more before another one is', async () => {
  const { hostname, port } = new URL(db.url)
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) || 5432 })
  const proxied = new URL(db.url)
  proxied.host = `127.0.0.1:${proxy.port}`
  const silent = listen(proxied.href)
  await untilElected(silent)
  const next = listen(db.url)
  const both = watchBoth(silent, next)

  proxy.halfOpen()
  await untilElected(next)
  expect(silent.isElected()).toBe(false)
  expect(both()).toBe(0)
})
