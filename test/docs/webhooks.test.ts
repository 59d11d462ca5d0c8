import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { v7 as uuidv7 } from 'uuid'
import { expect, test, vi } from 'vitest'
import { notifyBatchFinished, notifyOutage, notifyRevoked } from '#domain/deliveries/notify-webhooks.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { changeWebhook } from '#domain/webhooks/change-webhook.ts'
import { type EventType, eventTypes } from '#domain/webhooks/event-types.ts'
import { formats } from '#domain/webhooks/formats.ts'
import { rotateWebhookSecret } from '#domain/webhooks/webhook-secret.ts'
import { startTestWorker } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { type Received, startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)
const folder = mkdtempSync(join(tmpdir(), 'webhooks-page-'))
onFileEnd(() => rmSync(folder, { recursive: true }))

const { db, context, notify } = await startTestWorker()
const sink = await startWebhookSink()
const hook = { name: 'page', format: 'generic', url: sink.url, siteIds: undefined }
const old = (await addWebhook({ db, keyring: testKeyring }, testActor, hook)).secret as string
const secret = (await rotateWebhookSecret({ db, keyring: testKeyring }, testActor, 'page')).secret
const site = { id: await seedSite(db), name: 'Hauptgebäude' }
await notify(site)
await vi.waitFor(() => expect(sink.received).toHaveLength(1), { timeout: 20_000 })
const [{ headers, body }] = sink.received as [Received]

test('the request has the headers and the members that the page shows', () => {
  const [example = ''] = blocks('http')
  const names = example.split('\n').slice(1, -1).map((line) => line.split(':')[0]) // biome-ignore format: one line
  const [created = ''] = blocks('json')

  expect(Object.keys(headers)).toEqual(expect.arrayContaining(names))
  expect(Object.keys(JSON.parse(body))).toEqual(Object.keys(JSON.parse(created)))
  expect(Object.keys(JSON.parse(body).data).toSorted()).toEqual(Object.keys(JSON.parse(created).data).toSorted())
})

const outage = { controller: 'main', since: new Date(), until: new Date() }
const voucher = { id: uuidv7(), reference: null, isOurs: true, reason: 'valid_until' as const }
const batch = { site, source: 'API: Check-in', batch: { id: uuidv7(), reference: null } }

test('the other events have the members that the page shows', async () => {
  const events = Object.keys(eventTypes) as EventType[]
  await changeWebhook({ db, keyring: testKeyring }, testActor, 'page', { events })
  const { rows } = await db.query<{ id: string }>('select controller_id as id from sites')
  await db.transaction(async (tx) => {
    await notifyRevoked(tx, context.queue, site, [voucher])
    await notifyBatchFinished(tx, context.queue, { ...batch, rows: { made: 1, failed: 0, cancelled: 0 } })
    await notifyOutage(tx, context.queue, { ...outage, controllerId: rows[0]?.id as string })
  })
  await vi.waitFor(() => expect(sink.received).toHaveLength(4), { timeout: 20_000 })
  const shape = ({ type, data }: { type: string; data: object }) => [type, Object.keys(data).toSorted()]
  const received = sink.received.slice(1).map((request) => shape(JSON.parse(request.body)))
  const shown = blocks('json').slice(1).map((text) => shape(JSON.parse(text))) // biome-ignore format: one line

  expect(received.toSorted()).toEqual(shown.toSorted())
})

test('the page lists every type of event with its sentence', () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| (.+) \|$/gm)].map(([, type, about]) => [type, about])

  expect(Object.fromEntries(rows)).toEqual(eventTypes)
})

/** The new secret, the old one, a wrong one, a changed body, another timestamp, and an empty signature. */
const cases = (body: string) => [
  { secret, headers, body },
  { secret: old, headers, body },
  { secret: `whsec_${'A'.repeat(32)}`, headers, body },
  { secret, headers, body: `${body} ` },
  { secret, headers: { ...headers, 'webhook-timestamp': '1700000000' }, body },
  { secret, headers: { ...headers, 'webhook-signature': 'v1,' }, body },
]
const verdicts = [true, true, false, false, false, false]

test('the TypeScript example recognises genuine requests', async () => {
  const file = join(folder, 'verify.ts')
  writeFileSync(file, blocks('ts').join('\n'))
  const { verify } = await import(/* @vite-ignore */ pathToFileURL(file).href)

  expect(cases(body).map((each) => verify(each.secret, each.headers, each.body))).toEqual(verdicts)
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test.skipIf(!hasPython)('the Python example recognises the same requests', () => {
  const call = `import json, sys
print(json.dumps([verify(c["secret"], c["headers"], c["body"].encode()) for c in json.load(sys.stdin)]))`
  const { stdout, stderr } = spawnSync('python3', ['-c', `${blocks('python').join('\n')}\n${call}`], {
    input: JSON.stringify(cases(body)),
    encoding: 'utf8',
  })

  expect([stderr, JSON.parse(stdout)]).toEqual(['', verdicts])
})

test('the page lists every command and format, and no others', async () => {
  const { stdout } = await runCommand(db.url, ['webhooks', '--help'])
  const commands = [...stdout.matchAll(/^ {2}(\w+) (?:\[options\]|<)/gm)].map(([, name]) => name)
  const shown = [...page.matchAll(/^webhooks (\w+)/gm)].map(([, name]) => name)
  const table = page.slice(page.indexOf('| format |')).split('\n\n')[0] ?? ''

  expect(shown.toSorted()).toEqual([...commands, 'list'].filter((name) => name !== 'help').toSorted())
  expect(
    table
      .match(/^\| `.*?\|/gm)
      ?.join()
      .match(/[a-z-]+/g)
      ?.toSorted(),
  ).toEqual(Object.keys(formats).toSorted())
})
