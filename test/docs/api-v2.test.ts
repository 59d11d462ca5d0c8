import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedControlledSite, seedKey } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startService } from '#test/service.ts'
import { openapiDocument } from '../../src/http/v2/kit/openapi.ts'
import { operations } from '../../src/http/v2/register-v2.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/api-v2.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)
const folder = mkdtempSync(join(tmpdir(), 'api-v2-page-'))
onFileEnd(() => rmSync(folder, { recursive: true }))

const db = await createTestDatabase()
const simulator = await startSimulator('--site', 'default=Default', '--site', 'branch=Branch')
const mail = { MAIL_SERVER: '127.0.0.1:9', MAIL_SECURITY: 'none', MAIL_FROM: 'wlan@adler.example' }
const service = await startService(db.url, mail, 'start')
const site = await seedControlledSite(db, simulator)
const { key } = await seedKey(db, { name: 'Check-in', scope: 'write' })
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
const checkOutAt = inDays(3)
const newCheckOutAt = inDays(5)
const latestCheckOutAt = inDays(10)

const onController = async (code: string) =>
  (await simulator.vouchers()).filter((voucher) => voucher.code === code && !voucher.deleted).length
const get = async (path: string) =>
  (await call(`${service.url}/api/v2${path}`, { headers: { authorization: `Bearer ${key}` } })).json()

/** The blocks of the page that a test has run. */
const ran = new Set<string>()

async function runInBash(script: string, env: Record<string, string>) {
  ran.add(script)
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      API: `${service.url}/api/v2`,
      KEY: key,
      SITE: String(site),
      CHECK_OUT: checkOutAt.toISOString(),
      NEW_CHECK_OUT: newCheckOutAt.toISOString(),
      LATEST_CHECK_OUT: latestCheckOutAt.toISOString(),
      ...env,
    },
  })
  return stdout === '' ? undefined : JSON.parse(stdout)
}

test('the curl examples check a guest in, look up the voucher, extend it and check the guest out', async () => {
  const [checkIn = '', look = '', extend = '', checkOut = ''] = blocks('sh')
  const env = { RESERVATION: 'R-4711' }

  const voucher = await runInBash(checkIn, env)
  const again = await runInBash(checkIn, env)
  expect(voucher).toMatchObject({ reference: 'R-4711', max_uses: 3, valid_until: checkOutAt.toISOString() })
  expect(again.id).toBe(voucher.id)
  const outcome = blocks('sh').find((text) => text.includes('/vouchers/outcome')) as string
  expect(await runInBash(outcome, env)).toMatchObject({ outcome: 'made', voucher: { id: voucher.id } })
  expect(await runInBash(outcome, { RESERVATION: 'R-0' })).toEqual({ outcome: 'none', voucher: null })
  expect((await runInBash(look, env)).vouchers).toMatchObject([{ id: voucher.id, status: 'valid' }])
  expect(await onController(voucher.code)).toBe(1)
  const lookUp = blocks('sh').find((text) => text.includes('/vouchers/lookup')) as string
  const found = await runInBash(lookUp, { CODE: voucher.formatted_code })
  expect(found).toMatchObject({ vouchers: [{ id: voucher.id, status: 'valid' }], on_controller_only: [], fresh: true })

  const byName = blocks('sh').find((text) => text.includes('/vouchers/by-name')) as string
  expect(await runInBash(byName, env)).toMatchObject({ vouchers: [{ id: voucher.id, name: 'Room 12' }], more: 0 })

  await runInBash(blocks('sh').find((text) => text.includes('/vouchers.csv')) as string, env)
  expect(readFileSync(join(folder, 'vouchers.csv'), 'utf8')).toContain(voucher.formatted_code)

  const ends = blocks('sh').find((text) => text.includes('/ends')) as string
  expect(await runInBash(ends, { VOUCHER: voucher.id })).toMatchObject({
    ends_at: checkOutAt.toISOString(),
    ends: [1, 2].map((days) => ({ days, direction: 'later' })),
  })

  const change = blocks('sh').find((text) => text.includes('$LATER')) as string
  const sooner = new Date(checkOutAt.getTime() - 3_600_000).toISOString()
  const changed = await runInBash(change, { ...env, VOUCHER: voucher.id, LATER: sooner })
  expect(changed).toMatchObject({ id: voucher.id, valid_until: sooner, ends_at: sooner })

  const extended = await runInBash(extend, { VOUCHER: voucher.id })
  expect(extended).toMatchObject({ code: voucher.code, valid_until: newCheckOutAt.toISOString() })

  const { id } = await runInBash(checkOut, env)
  await vi.waitFor(
    async () => expect(await get(`/revocations/${id}`)).toMatchObject({ state: 'done', revoked: 1 }),
    30_000,
  )
  expect((await runInBash(look, env)).vouchers).toMatchObject([{ id: voucher.id, status: 'revoked' }])
  expect(await onController(voucher.code)).toBe(0)
})

test('the TypeScript example compiles, checks a guest in, extends the stay and checks the guest out, even if an answer is lost', async () => {
  const [program = ''] = blocks('ts')
  const path = join(folder, 'check-in.ts')
  writeFileSync(path, program)
  symlinkSync(join(root, 'client'), join(folder, 'client'))
  await compile(path)
  vi.stubEnv('API', `${service.url}/api/v2`)
  vi.stubEnv('KEY', key)
  const { checkIn, extend, checkOut } = await import(pathToFileURL(path).href)
  await simulator.fault('created-then-reset')

  const voucher = await checkIn(site, 'Room 14', 'R-4712', checkOutAt)
  expect(await onController(voucher.code)).toBe(1)
  const extended = await extend(voucher.id, newCheckOutAt)
  expect(extended).toMatchObject({ code: voucher.code, status: 'valid', valid_until: newCheckOutAt.toISOString() })
  const revocation = await checkOut('R-4712')

  expect(revocation).toMatchObject({ state: 'done', total: 1, revoked: 1 })
  expect((await simulator.vouchers()).filter(({ name, deleted }) => name.endsWith('Room 14') && !deleted)).toEqual([])
})

async function compile(path: string): Promise<void> {
  const modules = join(root, 'node_modules')
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--module',
    'nodenext',
    '--target',
    'es2024',
  ]
  const types = ['--types', 'node', '--typeRoots', join(modules, '@types'), '--allowImportingTsExtensions']
  await promisify(execFile)(join(modules, '.bin/tsc'), [...options, ...types, path]).catch(({ stdout }) =>
    expect.fail(stdout),
  )
}

test('the invalid request in the example gets the errors that the page shows', async () => {
  const [shown = ''] = blocks('json').filter((text) => text.includes('"errors"'))
  const request = blocks('sh').find((text) => text.includes('nmae')) as string
  const { request_id, ...given } = await runInBash(request, {})
  const { request_id: _, ...promised } = JSON.parse(shown)
  promised.errors[2].allowed.fields = expect.arrayContaining(['site_id', 'name'])

  expect(given).toEqual(promised)
})

test('the page names every error and every code of a field', () => {
  const { Problem, InvalidField } = openapiDocument(operations).components.schemas as any
  const names: string[] = [...Problem.properties.error.enum, ...InvalidField.properties.code.enum]

  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('the examples of a manage key: who am I, controller, site, template, subscribe, receive, replay, unsubscribe', async () => {
  const sink = await startWebhookSink()
  const manage = await seedKey(db, { scope: 'manage' })
  const example = (text: string) => blocks('sh').find((block) => block.includes(text)) as string
  const env = { MANAGE_KEY: manage.key, RECEIVER: sink.url, ADDRESS: simulator.url, SECRET: simulator.apiKey }

  expect(await runInBash(example('"$API/me"'), {})).toMatchObject({ name: 'Check-in', scope: 'write', all_sites: true })
  const controller = await runInBash(example('"$API/controllers"'), env)
  expect(controller).toMatchObject({ name: 'Annex console', has_secret: true, sites: 0 })
  const added = await runInBash(example('"$API/sites"'), { ...env, CONTROLLER: controller.id })
  expect(added).toMatchObject({ name: 'Annex', controller_site: 'branch', active: true })
  expect(await runInBash(example('"$API/templates"'), env)).toMatchObject({ name: 'Conference', max_uses: 0 })

  const { id, secret } = await runInBash(example('"$API/webhooks"'), env)
  expect(secret).toMatch(/^whsec_/)
  await runInBash(blocks('sh')[0] as string, { RESERVATION: 'R-4713' })
  await vi.waitFor(
    () => expect(sink.received.map(({ body }) => JSON.parse(body).type)).toEqual(['voucher.created']),
    30_000,
  )
  expect(await runInBash(example('/replay"'), { ...env, WEBHOOK: id })).toEqual({ replayed: 0, more: false })
  ran.add(example('/webhooks/$ID'))
  await promisify(execFile)('bash', ['-euc', example('/webhooks/$ID')], {
    env: { PATH: process.env['PATH'], API: `${service.url}/api/v2`, ...env, ID: id },
  })
  const { rows } = await db.query('select id from webhooks where id = $1 and removed_at is null', [id])
  expect(rows).toEqual([])
})

test('the message in the example waits for the mail server', async () => {
  const { id } = await runInBash(blocks('sh').find((block) => block.includes('"message"')) as string, {})

  expect((await get(`/vouchers/${id}/messages`)).messages).toMatchObject([{ state: 'waiting', language: 'en' }])
})

test('the batch in the example is made', async () => {
  const batch = await runInBash(blocks('sh').find((text) => text.includes('/batches')) as string, {})

  await vi.waitFor(
    async () => expect(await get(`/batches/${batch.id}`)).toMatchObject({ state: 'done', made: 500 }),
    30_000,
  )
  const [used] = (await get(`/batches/${batch.id}/rows`)).rows
  await simulator.redeem(used.code)
  const { id } = await runInBash(blocks('sh').find((text) => text.includes('"unused"')) as string, { BATCH: batch.id })
  await vi.waitFor(
    async () => expect(await get(`/revocations/${id}`)).toMatchObject({ state: 'done', revoked: 499, kept: 1 }),
    60_000,
  )
})

test('the guests in the example get their own limits', async () => {
  const batch = await runInBash(blocks('sh').find((text) => text.includes('"rows"')) as string, {})

  await vi.waitFor(async () => expect(await get(`/batches/${batch.id}`)).toMatchObject({ state: 'done' }), 30_000)
  expect((await get(`/batches/${batch.id}/rows`)).rows).toMatchObject([
    { name: 'Huber', outcome: 'made', reference: '204', max_uses: 4, expire_minutes: 4320 },
    { name: 'Brandt', outcome: 'made', reference: '206', max_uses: 2, expire_minutes: 1440 },
  ])
})

test('the revocation in the example is accepted, and every example of the page has run', async () => {
  const revoke = blocks('sh').find((text) => text.includes('checkout-4711')) as string
  const { id } = await runInBash(revoke, {})
  await vi.waitFor(async () => expect(await get(`/revocations/${id}`)).toMatchObject({ state: 'done' }), 30_000)

  expect(blocks('sh').filter((block) => !ran.has(block))).toEqual([])
})
