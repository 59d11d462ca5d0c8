import { describe, expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedLargeInstallation } from '#test/data/seed-large-installation.ts'
import { median, report } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { startService } from '#test/service.ts'

/** The size of a cell (docs/scaling.md). */
const sizes = [10, 5_000, 50_000]
const startMs: Record<string, Record<number, number>> = { api: {}, worker: {} }
const scrapeLines: number[] = []

describe.each(sizes)('an installation with %s sites', { timeout: 600_000 }, async (count) => {
  const db = await createTestDatabase()
  await seedLargeInstallation(db, { sites: count, controllers: Math.max(1, count / 100), today: '2026-11-19' })

  test.each(['api', 'worker'])('%s starts as fast as with ten sites', async (command) => {
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const begin = performance.now()
      const service = await startService(db.url, {}, command)
      times.push(performance.now() - begin)
      await service.stop('SIGKILL')
    }
    const ms = median(times)
    report(`${command} with ${count} sites is ready after, ms`, ms)
    ;(startMs[command] as Record<number, number>)[count] = ms
    expect(ms).toBeLessThan((startMs[command]?.[10] ?? 0) + 1_000)
  })

  test('a scrape takes less than 250 ms and has no line for each site', async () => {
    const metricsPort = await freePort()
    await startService(db.url, { METRICS_PORT: String(metricsPort) })
    const times: number[] = []
    let text = ''
    for (let round = 0; round < 6; round++) {
      await new Promise((resolve) => setTimeout(resolve, 1_100)) // scrapes of one second share a reading
      const begin = performance.now()
      text = (await call(`http://127.0.0.1:${metricsPort}/metrics`)).text
      times.push(performance.now() - begin)
    }
    report(`a scrape with ${count} sites: kB and ms`, [text.length / 1_000, median(times)])
    scrapeLines.push(text.split('\n').length)

    expect(text).toContain('voucher_service_record_readable 1')
    expect(median(times)).toBeLessThan(250)
    expect(Math.max(...scrapeLines) - Math.min(...scrapeLines)).toBeLessThan(20)
  })

  test('`sites list` names every site', async () => {
    const begin = performance.now()
    const { stdout, exitCode } = await runCommand(db.url, ['sites', 'list', '--json'])
    report(`sites list with ${count} sites: MB and ms`, [stdout.length / 1e6, performance.now() - begin])

    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toHaveLength(count)
  })
})
