import { createServer } from 'node:http'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test, vi } from 'vitest'
import { createReceivers } from '#domain/deliveries/receivers.ts'
import { testWebhook } from '#domain/deliveries/send-event.ts'
import { addWebhook, removeWebhook } from '#domain/webhooks/administer-webhooks.ts'
import { createReceiverAddresses, receiverUrl } from '#domain/webhooks/receiver-url.ts'
import type { Lookup } from '#lib/look-up-name.ts'
import { startTestWorker } from '#test/app.ts'
import { runCommand } from '#test/command.ts'
import { freePort } from '#test/data/local-servers.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { report } from '#test/measuring.ts'
import { addressIn, notPublicHosts, publicHosts } from '#test/network/hosts.ts'
import { type Listener, listen, startListener } from '#test/network/sockets.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { startService } from '#test/service.ts'

const [one, two] = [await startListener(), await startListener()]
const closed = await freePort()
const ports = [80, 443, one.port, two.port, closed]
const interfaceHosts = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses.map(({ address }) => address))
  .flatMap((address) => (isIPv6(address) ? [`[${address}]`] : [address, `[::ffff:${address}]`]))
const hosts = [...notPublicHosts, ...interfaceHosts, 'localhost', 'LOCALHOST']
const notAllowed = { status: null, error: 'address not allowed', reply: null, retryAfterMs: null }

function reach(allow: string[], { lookup, ownPort = 0 }: { lookup?: Lookup; ownPort?: number } = {}) {
  const own = { port: ownPort, databaseUrl: 'postgres://localhost' }
  const addresses = createReceiverAddresses({ ...own, webhookAllowCidrs: allow })
  const receivers = createReceivers(addresses, lookup)
  onFileEnd(receivers.close)
  return { addresses, post: (url: string) => receivers.post(url, {}, '{}') }
}

const connections = (...listeners: Listener[]) => listeners.reduce((sum, listener) => sum + listener.connections, 0)
const urls = ['http', 'https'].flatMap((scheme) =>
  hosts.flatMap((host) => ports.map((port) => `${scheme}://${host}:${port}/hook`)),
)

test('addresses outside the public internet get no connection, in any spelling, and all have the same error', async () => {
  const { post } = reach([])
  const answers = await Promise.all(urls.map(post))
  report(`connections by ${urls.length} addresses of webhooks (${hosts.length} hosts)`, connections(one, two))

  expect(hosts.length).toBeGreaterThanOrEqual(60)
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(notAllowed)]))
  expect(connections(one, two)).toBe(0)
})

test('the public internet is allowed over https only', async () => {
  const { addresses, post } = reach([])

  expect(publicHosts.filter((host) => !addresses.https.allows(addressIn(host), 443))).toEqual([])
  expect(publicHosts.filter((host) => addresses.http.allows(addressIn(host), 80))).toEqual([])
  expect(await post('http://8.8.8.8/')).toEqual(notAllowed)
})

test('the same spellings do connect when their addresses are allowed', async () => {
  const { post } = reach(['127.0.0.0/8', '::1'])
  const before = connections(one)
  const spellings = ['127.0.0.1', '2130706433', '0x7f.1', '017700000001', '[::ffff:127.0.0.1]', 'localhost']
  for (const host of spellings) await post(`http://${host}:${one.port}/`)

  expect(connections(one) - before).toBe(spellings.length)
})

test('an allowed network opens neither other addresses nor the ports of the service', async () => {
  const before = connections(one, two)
  const { post } = reach(['127.0.0.0/8', '10.0.0.0/8'], { ownPort: two.port })
  const refused = [
    `http://127.0.0.1:${two.port}/`,
    `https://[::ffff:127.0.0.1]:${two.port}/`,
    `http://127.0.0.1:5432/`,
    `http://192.168.1.1:${one.port}/`,
    `http://169.254.169.254/latest/meta-data/`,
    `http://[::1]:${one.port}/`,
    'http://8.8.8.8/',
  ]

  for (const url of refused) expect(await post(url), url).toEqual(notAllowed)
  expect(connections(one, two)).toBe(before)
})

test('a name is rejected if any of its addresses is forbidden', async () => {
  const before = connections(one)
  const answers: [string, string[]][] = [
    ['metadata.google.internal', ['169.254.169.254']],
    ['127.0.0.1.nip.io', ['127.0.0.1']],
    ['intranet.example', ['10.0.0.1']],
    ['first.example', ['10.0.0.1', '8.8.8.8']],
    ['last.example', ['8.8.8.8', '2606:4700::1111', '::ffff:127.0.0.1']],
    ['nat64.example', ['64:ff9b::7f00:1']],
    ['zone.example', ['fe80::1%lo']],
  ]
  const lookup: Lookup = async (hostname) =>
    (new Map(answers).get(hostname) ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const { post } = reach([], { lookup })

  for (const [name] of answers) expect(await post(`https://${name}:${one.port}/`), name).toEqual(notAllowed)
  expect(connections(one)).toBe(before)
})

test('a name that changes its address between two lookups never leads to the forbidden address', async () => {
  let served = 0
  const server = createServer((_request, response) => {
    served++
    response.setHeader('connection', 'close').end()
  })
  const port = await listen(server)
  const trap = await startListener({ address: '127.0.0.2', port })
  let asked = 0
  const lookup: Lookup = async () => [{ address: asked++ % 2 === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
  const { post } = reach(['127.0.0.1'], { lookup })
  for (let i = 0; i < 10; i++) {
    expect(await post(`http://flip.example:${port}/`)).toMatchObject({ status: 200 })
    expect(await post(`http://flip.example:${port}/`)).toEqual(notAllowed)
  }
  report('a receiver that flips its address: answers of the resolver, served requests, caught', [
    asked,
    served,
    trap.connections,
  ])

  expect([asked, served, trap.connections]).toEqual([20, 10, 0])
})

test('redirects are not followed', async () => {
  const sink = await startWebhookSink()
  const before = connections(one)
  const { post } = reach(['127.0.0.1'])
  for (const status of [301, 302, 303, 307, 308]) {
    sink.answerWith({ status, headers: { location: `http://127.0.0.1:${one.port}/` } })
    expect(await post(sink.url)).toMatchObject({ status, error: null })
  }

  expect(connections(one)).toBe(before)
})

test('forbidden addresses cannot be added, and tests of them have the same error', async () => {
  const { db, context } = await startTestWorker({ WEBHOOK_ALLOW_CIDRS: '' })
  const { addresses } = reach([])
  const before = connections(one)
  const literals = [...notPublicHosts, ...interfaceHosts, 'localhost']
  for (const host of literals)
    expect(() => receiverUrl(`https://${host}/`, addresses), host).toThrow('webhook_url_forbidden')
  for (const host of publicHosts) expect(receiverUrl(`https://${host}/`, addresses)).toMatch(/^https:/)
  for (const url of ['http://8.8.8.8/', 'ftp://example.com', 'javascript:alert(1)'])
    expect(() => receiverUrl(url, addresses)).toThrow('webhook_url_unreadable')
  expect(() => receiverUrl('https://u:p@example.com/', addresses)).toThrow('webhook_url_with_credentials')

  const learned = new Set<string>()
  for (const [i, host] of literals.entries()) {
    const url = `https://${host}:${one.port}/`
    await addWebhook({ db, keyring: testKeyring }, testActor, {
      name: `w${i}`,
      format: 'slack',
      url,
      siteIds: undefined,
    })
    const { ms: _, ...answer } = await testWebhook(context, testActor, `w${i}`)
    learned.add(JSON.stringify(answer))
    if (i > 0) await removeWebhook(db, testActor, `w${i}`) // at most 20 webhooks can be for all sites
  }
  expect(learned).toEqual(
    new Set([JSON.stringify({ arrived: false, status: null, error: 'address not allowed', reply: null })]),
  )
  const tested = await runCommand(db.url, ['webhooks', 'test', 'w0', '--json'], { env: { WEBHOOK_ALLOW_CIDRS: '' } })
  expect([tested.exitCode, tested.json().error]).toEqual([1, 'address not allowed'])
  expect(connections(one)).toBe(before)
})

test('a running worker does not connect to a forbidden address', async () => {
  const { db, notify } = await startTestWorker({ WEBHOOK_ALLOW_CIDRS: '' })
  await startService(db.url, { WEBHOOK_ALLOW_CIDRS: '192.168.0.0/16' }, 'worker')
  const sink = await startWebhookSink()
  await addWebhook({ db, keyring: testKeyring }, testActor, {
    name: 'x',
    format: 'generic',
    url: sink.url,
    siteIds: undefined,
  })
  await notify({ id: await seedSite(db), name: 'Haus' })
  await vi.waitFor(
    async () =>
      expect((await db.query('select status, error, reply from delivery_attempts')).rows).toEqual([
        { status: null, error: 'address not allowed', reply: null },
      ]),
    30_000,
  )

  expect(sink.received).toEqual([])
})
