import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sha256Of } from '#domain/keys/key.ts'
import { png } from '#test/data/images.ts'
import { type Answer, call } from '#test/network/http-client.ts'
import { type Simulator, startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink, type WebhookSink } from '#test/network/webhook-sink.ts'
import { type Service, spawnCommand, startService } from '#test/service.ts'

const password = 'rain on the harbour 1'

/** What an installation of the last release contains, and what its people, programs and receivers have. */
export type OldData = {
  sessions: { administrator: string; desk: string }
  /** The one-time link that a person has not opened yet. */
  openLink: string
  password: string
  email: string
  keys: { created: string; rolled: string; imported: string }
  webhook: { secret: string; sink: WebhookSink }
  site: number
  vouchers: { name: string; id: string; code: string }[]
  repeated: { idempotencyKey: string; body: object; code: string }
  /** Work that no worker has seen yet. */
  waiting: { batch: string; revocation: string }
  simulator: Simulator
}

type Client = (method: string, path: string, body?: object | Buffer, headers?: Record<string, string>) => Promise<any>

/** Fills a database with data of every kind, as the last release writes it: through its API and its commands. The service is then held. */
export async function createOldData(url: string, script: string): Promise<OldData> {
  const simulator = await startSimulator()
  const sink = await startWebhookSink('127.0.0.1')
  const broken = await startWebhookSink('127.0.0.2')
  broken.answerWith({ status: 500, body: 'the receiver is broken' })
  const setupToken = randomBytes(16).toString('hex')
  const [api, worker] = await Promise.all([
    startService(url, { SETUP_TOKEN: setupToken }, 'api', script),
    startService(url, {}, 'worker', script),
  ])
  const { administrator, email, send } = await createFirstAdministrator(api, setupToken)

  const site = await createSite(send, simulator)
  const people = await createPeople(api, send, site)
  const keys = await createKeys(send, { url, script })
  const template = await send('POST', '/v2/templates', { site_id: site, name: 'Konferenz', expire_minutes: 600 })
  const { secret } = await send('POST', '/v2/webhooks', { url: sink.url, name: 'Belege', events: allEvents })
  await send('POST', '/v2/webhooks', { url: broken.url, name: 'Kaputt', format: 'slack', site_ids: [site] })
  const vouchers = await createVouchers(send, { site, simulator, template: template.id })
  const repeated = await createWithKey(api, keys.created, site)

  const batch = await send('POST', '/v2/batches', {
    site_id: site,
    names: ['Zimmer 1', 'Zimmer 2'],
    expire_minutes: 600,
  })
  await until(async () => (await send('GET', `/v2/batches/${batch.id}`)).state === 'done')
  await until(async () => broken.received.length > 0)
  await worker.stop()

  const waiting = {
    batch: (await send('POST', '/v2/batches', { site_id: site, name: 'Tagung', count: 3, expire_minutes: 600 })).id,
    revocation: (await send('POST', '/v2/revocations', { voucher_ids: [idOf(vouchers, 'Wird widerrufen')] })).id,
  }
  const held = await spawnCommand(url, ['hold'], { script })
  if (held.exitCode !== 0) throw new Error(held.stderr)
  await api.stop()
  const sessions = { administrator, desk: people.session }
  const webhook = { secret, sink }
  return {
    sessions,
    openLink: people.openLink,
    password,
    email,
    keys,
    webhook,
    site,
    vouchers,
    repeated,
    waiting,
    simulator,
  }
}

const allEvents = ['voucher.created', 'voucher.first_used', 'voucher.expired', 'voucher.revoked', 'batch.finished']

function idOf(vouchers: { name: string; id: string }[], name: string): string {
  return vouchers.find((voucher) => voucher.name === name)?.id as string
}

async function createFirstAdministrator(api: Service, token: string) {
  const email = 'anna@adler.example'
  const body = JSON.stringify({ token, name: 'Anna Weiß', email, password, language: 'de' })
  const headers = { 'content-type': 'application/json', origin: api.url }
  const answer = await call(`${api.url}/api/v2/setup`, { method: 'POST', headers, body })
  const administrator = sessionOf(answer)
  return { administrator, email, send: clientWith(api, administrator) }
}

function sessionOf(answer: Answer): string {
  const session = /voucher-session=([^;]+)/.exec(String(answer.headers['set-cookie']))?.[1]
  if (session === undefined) throw new Error(`no session: ${answer.status} ${answer.text}`)
  return session
}

/** Sends requests with a session. Any answer without success is an error. */
export function clientWith(api: Service, session: string): Client {
  return async (method, path, body, more = {}) => {
    const type = Buffer.isBuffer(body) ? 'image/png' : 'application/json'
    const headers = { cookie: `voucher-session=${session}`, 'content-type': type, origin: api.url, ...more }
    const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const { status, text } = await call(`${api.url}/api${path}`, { method, headers, ...(body && { body: bytes }) })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return text.startsWith('{') ? JSON.parse(text) : text
  }
}

async function createSite(send: Client, simulator: Simulator): Promise<number> {
  const request = { name: 'Altes Haus', driver: 'unifi-integration', address: simulator.url, secret: simulator.apiKey }
  const controller = await send('POST', '/v2/controllers', request)
  const { id } = await send('POST', '/v2/sites', {
    name: 'Hotel Adler',
    controller_id: controller.id,
    adopts_vouchers: true,
  })
  const slip = { guest_languages: ['de', 'fr'], footer: 'Rezeption: 9', time_zone: 'Europe/Vienna', room_days: 3 }
  await send('PATCH', `/v2/sites/${id}/guest-info`, { wifi_name: 'Adler Gast', wifi_password: 'almrausch 7', ...slip })
  await send('PUT', `/v2/sites/${id}/logo`, png)
  return id
}

async function createPeople(api: Service, send: Client, site: number) {
  const add = (name: string, role: string) =>
    send('POST', '/v2/staff', { name, role, email: `${name.toLowerCase()}@adler.example`, site_ids: [site] })
  const [bert, cora, dora] = [await add('Bert', 'desk'), await add('Cora', 'manager'), await add('Dora', 'desk')]
  await send('PATCH', `/v2/staff/${dora.id}`, { active: false })
  const body = JSON.stringify({ token: bert.password_link.token, new_password: password })
  const headers = { 'content-type': 'application/json', origin: api.url }
  const answer = await call(`${api.url}/api/v2/password-links`, { method: 'POST', headers, body })
  return { session: sessionOf(answer), openLink: cora.password_link.token as string }
}

async function createKeys(send: Client, { url, script }: { url: string; script: string }) {
  const created = await send('POST', '/v2/keys', { name: 'Buchungen', scope: 'write', requests_per_minute: null })
  const rolled = await send('POST', '/v2/keys', { name: 'Kiosk', scope: 'read' })
  const until = new Date(Date.now() + 86_400_000).toISOString()
  await send('POST', `/v2/keys/${rolled.id}/roll`, { prefix: rolled.prefix, old_valid_until: until })
  const revoked = await send('POST', '/v2/keys', { name: 'Alt', scope: 'read' })
  await send('DELETE', `/v2/keys/${revoked.id}`)
  const imported = `tool_${randomBytes(20).toString('hex')}`
  const digest = sha256Of(imported).toString('hex')
  const options = ['--name', 'Importiert', '--scope', 'write', '--prefix', imported.slice(0, 13), '--sha256', digest]
  const { exitCode, stderr } = await spawnCommand(url, ['keys', 'import', ...options], { script })
  if (exitCode !== 0) throw new Error(stderr)
  return { created: created.secret as string, rolled: rolled.secret as string, imported }
}

type Place = { site: number; simulator: Simulator; template: string }

/** Vouchers of every state, and with every way to end. */
async function createVouchers(send: Client, { site, simulator, template }: Place): Promise<OldData['vouchers']> {
  const made: OldData['vouchers'] = []
  const create = async (name: string, more: object = { expire_minutes: 600 }) => {
    const { id, code } = await send('POST', '/v2/vouchers', { site_id: site, name, ...more })
    made.push({ name, id, code })
    return { id, code }
  }
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  await create('Unbenutzt', { template_id: template, reference: 'R-1', unused_days: 5 })
  await create('Aufenthalt', { valid_until: inHours(20), extendable_until: inHours(60), reference: 'R-2' })
  await create('Wird widerrufen')
  const [used, ended] = [await create('Benutzt'), await create('Abgelaufen', { expire_minutes: 1, max_uses: 2 })]
  const [revoked, deleted] = [await create('Widerrufen'), await create('Gelöscht')]
  await send('DELETE', `/v2/vouchers/${revoked.id}`)
  await simulator.redeem(used.code)
  await simulator.redeem(ended.code, 'aa:bb:cc:dd:ee:01')
  await simulator.deleteVoucher(deleted.code)
  await simulator.addVoucher({ internalReference: 'default', name: 'Vom Controller', timeLimitMinutes: 90, count: 1 })
  await simulator.clock({ advanceSeconds: 90 })
  await send('POST', `/v2/sites/${site}/sync`)
  await until(async () => {
    const { vouchers } = await send('GET', '/v2/vouchers')
    const states = new Set(vouchers.map((voucher: any) => voucher.status))
    return (
      vouchers.length === made.length + 1 && ['valid', 'used', 'expired', 'revoked'].every((state) => states.has(state))
    )
  })
  return made
}

async function createWithKey(api: Service, key: string, site: number): Promise<OldData['repeated']> {
  const repeated = { idempotencyKey: 'buchung-4711', body: { site_id: site, name: 'Buchung', expire_minutes: 60 } }
  const { code } = await createV1(api, key, repeated)
  return { ...repeated, code }
}

export async function createV1(
  api: Service,
  key: string,
  { idempotencyKey, body }: { idempotencyKey: string; body: object },
) {
  const headers = { 'x-api-key': key, 'idempotency-key': idempotencyKey, 'content-type': 'application/json' }
  const answer = await call(`${api.url}/api/vouchers.php`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
  return answer.json() as { code: string }
}

/** Waits for the condition, at most two minutes: a voucher expires a minute after its first use. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const endsAt = Date.now() + 120_000; !(await condition()); await pause(200))
    if (Date.now() > endsAt) throw new Error(`It did not come true: ${condition}`)
}
