import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { createMetrics } from '#metrics/metrics.ts'
import { startApp } from '#test/app.ts'
import { seedController } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startMetrics } from '../../src/commands/service/metrics-part.ts'

const folder = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url))
const read = (file: string) => readFileSync(folder + file, 'utf8')

beforeAll(() => {
  if (spawnSync('promtool', ['--version']).error)
    throw new Error('promtool is missing. Install it with `apt-get install prometheus`, or run .ci/services.')
})

function promtool(args: string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, input, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** A scrape in which every metric of the service has a value. */
async function scrapeAll(): Promise<string> {
  const metrics = createMetrics({ version: '1.2.3', role: 'start' })
  const redis = { REDIS_URL: 'redis://127.0.0.1:6379', REDIS_PREFIX: 'prometheus-test:' }
  const app = await startApp({ METRICS_PORT: '0', ...redis }, { observer: metrics.observer })
  const served = await startMetrics(app.context, metrics)
  onFileEnd(() => served.stop())
  await app.db.query('insert into controller_outages (controller_id) values ($1)', [await seedController(app.db)])
  await app.db.query('insert into last_backup (taken_at) values (now())')
  const { observer } = metrics
  observer.requestAnswered({ method: 'GET', route: '/api/v2/sites/:id', status: 200, seconds: 0.01 })
  observer.requestCounted('postgresql')
  observer.controllerCalled({ driver: 'unifi-classic', operation: 'create', outcome: 'ok', seconds: 1 })
  return (await call(`http://127.0.0.1:${served.port}/metrics`)).text
}

const scraped = await scrapeAll()
/** Names of series, such as `…_bucket` of a histogram, and of metrics. */
const names = new Set([
  ...[...scraped.matchAll(/^([a-z_]\w*)[{ ]/gm)].map(([, name]) => name as string),
  ...[...scraped.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name as string),
])

/** Metrics in the text that the service does not have. */
function unknownMetrics(text: string): string[] {
  const used = [...text.matchAll(/\b(?:voucher_service|nodejs|process)_\w+/g)].map(([name]) => name)
  return [...new Set(used)].filter((name) => !names.has(name))
}

test('/metrics passes `promtool check metrics`', () => {
  expect(promtool(['check', 'metrics'], scraped)).toEqual({ status: 0, output: '' })
  expect(promtool(['check', 'metrics'], `${scraped}# TYPE planted_total gauge\nplanted_total 1\n`).status).not.toBe(0)
})

describe('alerts.yml', () => {
  const alerts = [...read('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string)
  /** Two tests for each alert: in one it fires, in the other it does not. */
  const tested = [...read('alerts.test.yml').matchAll(/alertname: (\w+)\n +exp_alerts:( \[\])?/g)]

  test('promtool accepts the rules and the example of a configuration', () => {
    expect(promtool(['check', 'rules', 'alerts.yml'])).toMatchObject({ status: 0 })
    expect(promtool(['check', 'config', 'prometheus.example.yml'])).toMatchObject({ status: 0 })
  })

  test('the tests of the rules pass', () => {
    expect(promtool(['test', 'rules', 'alerts.test.yml'])).toMatchObject({ status: 0 })
  })

  test.each(alerts)('%s has a test in which it fires and one in which it does not', (alert) => {
    const quiet = tested.filter(([, name]) => name === alert).map(([, , isQuiet]) => isQuiet !== undefined)

    expect(new Set(quiet)).toEqual(new Set([false, true]))
  })

  test('every rule keeps the job, so that one installation does not hide the faults of another', () => {
    const rules = [...read('alerts.yml').matchAll(/expr: '(.*)'/g)].map(([, expr]) => expr as string)
    const withoutJob = (expr: string) => [...expr.matchAll(/\b(?:by|on) \((?!job\b)/g)].length > 0
    const withoutGroups = (expr: string) => /\b(?:sum|max|min|count|group|avg) ?\((?!.*\bby\b)/.test(expr)

    expect(rules).toHaveLength(alerts.length)
    expect(rules.filter((expr) => withoutJob(expr) || withoutGroups(expr))).toEqual([])
    expect([withoutJob('max by (queue) (a) > 0'), withoutGroups('max(a) > 0')]).toEqual([true, true])
  })

  test('every alert fires for real in test/watching/long', () => {
    const long = new URL('./long/', import.meta.url)
    const tests = readdirSync(long).filter((name) => name.endsWith('.test.ts'))
    const texts = tests.map((name) => readFileSync(new URL(name, long), 'utf8')).join('\n')

    expect(alerts.filter((alert) => !texts.includes(`'${alert}'`))).toEqual([])
  })

  test('a rule that is changed fails its test', () => {
    const changed = read('alerts.yml').replace('> 0.05', '> 0.5')
    const [head = '', ...tests] = read('alerts.test.yml').split(/(?=^ {2}- name: )/m)
    const own = tests.filter((each) => each.includes('VoucherServiceErrors'))
    const copy = mkdtempSync(join(tmpdir(), 'alerts-'))
    writeFileSync(`${copy}/changed.yml`, changed)
    writeFileSync(`${copy}/changed.test.yml`, head.replace('- alerts.yml', '- changed.yml') + own.join(''))

    expect(own.length).toBeGreaterThanOrEqual(2)
    expect(promtool(['test', 'rules', `${copy}/changed.test.yml`]).status).not.toBe(0)
  })

  test('every metric in them exists', () => {
    expect(unknownMetrics(read('alerts.yml'))).toEqual([])
    expect(unknownMetrics('rate(voucher_service_planted_total[5m])')).toEqual(['voucher_service_planted_total'])
  })
})

describe('grafana-dashboard.json', () => {
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as {
    panels: { id: number; type: string; title: string; targets?: { expr: string }[] }[]
  }
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

  test('every metric in it exists, and every panel has its own id', () => {
    expect(expressions.length).toBeGreaterThan(30)
    expect(unknownMetrics(expressions.join('\n'))).toEqual([])
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })

  test('Prometheus can parse every expression', () => {
    const rules = expressions.map((expr, i) => `      - record: panel_${i}\n        expr: ${JSON.stringify(expr)}`)
    const text = `groups:\n  - name: dashboard\n    rules:\n${rules.join('\n')}\n`
    const copy = mkdtempSync(join(tmpdir(), 'panels-'))
    writeFileSync(`${copy}/panels.yml`, text)

    expect(promtool(['check', 'rules', `${copy}/panels.yml`])).toMatchObject({ status: 0 })
  })
})

test('docs/watching.md lists every metric of the service, and no other', () => {
  const page = readFileSync(new URL('../../docs/watching.md', import.meta.url), 'utf8')
  const own = [...scraped.matchAll(/^# TYPE (voucher_service_\w+)/gm)].map(([, name]) => name as string)

  expect([...page.matchAll(/^\| `(voucher_service_\w+)`/gm)].map(([, name]) => name).toSorted()).toEqual(own.toSorted())
})
