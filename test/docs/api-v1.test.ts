import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { v1Problems } from '#http/errors/v1-problems.ts'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey, seedVoucher, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { call } from '#test/network/http-client.ts'
import { startTcpProxy } from '#test/network/proxies.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startService } from '#test/service.ts'

type Block = { language: string; text: string }

const page = readFileSync(new URL('../../docs/api-v1.md', import.meta.url), 'utf8')
const blocks: Block[] = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
  language,
  text,
}))

const folder = mkdtempSync(join(tmpdir(), 'api-v1-page-'))
onFileEnd(() => rmSync(folder, { recursive: true }))

const db = await createTestDatabase()
const simulator = await startSimulator()
const service = await startService(db.url, {}, 'start')
const base = `${service.url}/api`
const site = await seedControlledSite(db, simulator)
const { key } = await seedKey(db, { name: 'Check-in', scope: 'write', rateLimit: 600 })
await seedVoucher(db, site)

beforeEach(() => simulator.forget())

describe('the curl examples', () => {
  const examples = blocks.flatMap(({ language, text }, i) =>
    language === 'sh' ? [{ script: text, answer: blocks[i + 1] as Block }] : [],
  )

  test('cover each endpoint', () => {
    const called = examples.map(({ script }) => /\$BASE(\/\w+\.php)/.exec(script)?.[1])

    expect(new Set(called)).toEqual(new Set(['/sites.php', '/vouchers.php', '/openapi.php']))
  })

  test.each(examples)('$script', async ({ script, answer }) => {
    const { exitCode, stdout, stderr } = await runInBash(script)

    expect([exitCode, stderr]).toEqual([0, ''])
    if (script.includes('openapi.json')) {
      expect(JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')).info.version).toBe('1.0.0')
    } else if (answer.language === 'http') {
      expect(headersOf(stdout)).toMatchObject(headersOf(answer.text))
    } else {
      expect(answer.language).toBe('json')
      const [promised, given] = [JSON.parse(answer.text), JSON.parse(stdout)]
      expect(shapeOf(given)).toEqual(shapeOf(promised))
      if (promised.error !== undefined) expect(given).toEqual(promised)
    }
  })
})

test('the table of errors contains every known failure, with its message and headers', () => {
  const lines = page.split('\n')
  const onlyInV2 = ['valid_until_passed']
  const ofV1 = Object.entries(v1Problems).flatMap(([code, problem]) => (onlyInV2.includes(code) ? [] : problem))
  for (const { status, error, message = '', headers = {} } of ofV1) {
    const words = message.replace(/\{(\w+)\}/g, '<$1>')
    const known = lines.filter((line) => line.startsWith(`| ${status} | \`${error}\` |`) && line.includes(words))
    const named = Object.entries(headers).map(([name, value]) => `\`${name}: ${value}\``.toLowerCase())

    expect(known, words).not.toEqual([])
    expect(
      known.filter((line) => named.every((header) => line.toLowerCase().includes(header))),
      named.join(),
    ).not.toEqual([])
  }
})

test('a webhook receives the headers and the body that the page shows', async () => {
  const sink = await startWebhookSink()
  await addWebhook({ db, keyring: testKeyring }, testActor, {
    name: 'page',
    format: 'generic',
    url: sink.url,
    siteIds: undefined,
  })
  const [headers, body] = blocks.slice(blocks.findIndex(({ text }) => text.startsWith('POST /hook'))) as [Block, Block]

  const created = await client.createVoucher({ base, key }, { site_id: site, name: 'Webhook' }, 'webhook')
  await vi.waitFor(() => expect(sink.received).toHaveLength(1), 30_000)
  const [received] = sink.received

  expect(Object.keys(received?.headers ?? {})).toEqual(
    expect.arrayContaining(Object.keys(headersOf(headers.text)).slice(1)),
  )
  expect(shapeOf(JSON.parse(received?.body ?? ''))).toEqual(shapeOf(JSON.parse(body.text)))
  expect(JSON.parse(received?.body ?? '').data).toMatchObject({ count: 1, site_id: site, source: 'API: Check-in' })
  expect(received?.body).not.toContain(created.code)
})

type Client = {
  createVoucher(
    api: { base: string; key: string },
    request: { site_id: number; name: string },
    idempotencyKey: string,
    attempts?: number,
  ): Promise<{ code: string; formatted_code: string; site: string; max_uses: number; expire_minutes: number }>
}

const client = await importClient()

describe('the TypeScript client', () => {
  test('returns one voucher', async () => {
    const voucher = await client.createVoucher({ base, key }, { site_id: site, name: 'Einer' }, 'one')

    expect(voucher).toMatchObject({ site: 'Hauptgebäude', max_uses: 1, expire_minutes: 480 })
    expect(await codesNamed('Einer')).toEqual([voucher.code])
  })

  test('repeats a rejected request with the same key and gets exactly one voucher', async () => {
    await simulator.fault('refuse')
    const sent = watchFetch()
    const voucher = await client.createVoucher({ base, key }, { site_id: site, name: 'Zweimal' }, 'twice')

    expect(await sent()).toEqual([
      [500, 'twice'],
      [201, 'twice'],
    ])
    expect(await simulator.creates()).toBe(2)
    expect(await codesNamed('Zweimal')).toEqual([voucher.code])
  })

  test('waits for the end of the window after a 429', async () => {
    const limited = await seedKey(db, { scope: 'write', rateLimit: 1 })
    await call(`${base}/sites.php`, { headers: { 'x-api-key': limited.key } })
    await db.query(`update rate_limits set ends_at = clock_timestamp() + interval '1.5 seconds' where key = $1`, [
      limited.id,
    ])
    const sent = watchFetch()
    const voucher = await client.createVoucher({ base, key: limited.key }, { site_id: site, name: 'Später' }, 'later')

    expect(await sent()).toEqual([
      [429, 'later'],
      [201, 'later'],
    ])
    expect(await codesNamed('Später')).toEqual([voucher.code])
  })

  test('gets the voucher whose first answer was lost on the way', async () => {
    const { hostname, port } = new URL(base)
    const proxy = await startTcpProxy({ host: hostname, port: Number(port) })
    await simulator.fault('slow', { delayMs: 600 })
    const sent = watchFetch()
    const asked = client.createVoucher(
      { base: `http://127.0.0.1:${proxy.port}/api`, key },
      { site_id: site, name: 'Verloren' },
      'lost',
    )
    await wait(300)
    proxy.cut()
    proxy.heal()
    const voucher = await asked
    const statuses = await sent()

    expect(statuses.at(0)).toEqual(['no answer', 'lost'])
    expect(statuses.at(-1)).toEqual([201, 'lost'])
    expect(await simulator.creates()).toBe(1)
    expect(await codesNamed('Verloren')).toEqual([voucher.code])
  })

  test('gives up at once when a repeat cannot help', async () => {
    const sent = watchFetch()
    const refused = client.createVoucher({ base, key }, { site_id: 2_147_483_647, name: 'x' }, 'nowhere')

    await expect(refused).rejects.toMatchObject({ outcome: 'none', message: expect.stringMatching(/^404 .*not_found/) })
    expect(await sent()).toEqual([[404, 'nowhere']])
  })

  test('says that the outcome is unknown when it gives up', async () => {
    await simulator.fault('created-then-reset')
    const unsure = client.createVoucher({ base, key }, { site_id: site, name: 'Unklar' }, 'unsure', 1)

    await expect(unsure).rejects.toMatchObject({ outcome: 'unknown', message: expect.stringMatching(/^500 /) })
  })
})

async function runInBash(script: string): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const child = spawn('bash', ['--norc', '-c', `set -eu\n${script}`], {
    cwd: folder,
    env: { PATH: process.env['PATH'], BASE: base, KEY: key, SITE: String(site) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const [exitCode] = (await once(child, 'close')) as [number]
  return { exitCode, stdout, stderr }
}

/** Replaces every value by its type. A list becomes its first element, and all other elements must have the same shape. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [first, ...others] = value.map(shapeOf)
    for (const other of others) expect(other).toEqual(first)
    return first === undefined ? [] : [first]
  }
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}

/** Returns the first line and the headers by name. Replaces ids and numbers, which differ from run to run. */
function headersOf(text: string): Record<string, string> {
  const [first = '', ...lines] = text.trim().split(/\r?\n/)
  const headers = lines.map((line) => {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? []
    return [name.toLowerCase(), value.replace(/[0-9a-f-]{36}/g, 'id').replace(/\d+/g, '0')]
  })
  return { first, ...Object.fromEntries(headers) }
}

async function importClient(): Promise<Client> {
  const [code, ...others] = blocks.filter(({ language }) => language === 'ts')
  if (!code || others.length > 0) throw new Error('the page should hold one client')
  const file = join(folder, 'client.ts')
  writeFileSync(file, code.text)
  return import(/* @vite-ignore */ pathToFileURL(file).href)
}

/** Watches `fetch` from now on. Returns the status and the Idempotency-Key of every request. */
function watchFetch(): () => Promise<[number | string, string | null][]> {
  const spy = vi.spyOn(globalThis, 'fetch')
  return async () => {
    const sent = spy.mock.calls.map(async ([, options], i): Promise<[number | string, string | null]> => {
      const answer: Response | undefined = await spy.mock.results[i]?.value.catch(() => undefined)
      return [answer?.status ?? 'no answer', new Headers(options?.headers).get('idempotency-key')]
    })
    spy.mockRestore()
    return Promise.all(sent)
  }
}

async function codesNamed(name: string): Promise<string[]> {
  const vouchers = await simulator.vouchers()
  return vouchers.filter((voucher) => voucher.name.endsWith(`_${name}`)).map(({ code }) => code)
}
