import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { deleteOldRows } from '#db/retention.queries.ts'
import { deleteOldAudit } from '#domain/audit/audit.queries.ts'
import { addPerson } from '#domain/people/administer-staff.ts'
import { hashPassword } from '#domain/people/password.ts'
import { updatePasswordHash } from '#domain/people/staff.queries.ts'
import { addWebhook } from '#domain/webhooks/administer-webhooks.ts'
import type { EventType } from '#domain/webhooks/event-types.ts'
import { seedControlledSite, seedKey, testActor } from '#test/data/seed.ts'
import { createTwoRoles } from '#test/data/two-roles.ts'
import { testKeyring } from '#test/environment.ts'
import { call } from '#test/network/http-client.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { startWebhookSink } from '#test/network/webhook-sink.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { spawnCommand, startService } from '#test/service.ts'
import { listRetentionRules } from '../../src/worker/retention-rules.ts'

const { owner, service: db, ownerUrl, serviceUrl } = await createTwoRoles()

test('the whole service works with a role that cannot change the audit', async () => {
  const service = await startService(serviceUrl, {}, 'start')
  const sink = await startWebhookSink()
  const site = await seedControlledSite(db, await startSimulator())
  const { key } = await seedKey(db, { scope: 'write' })
  const events: EventType[] = ['voucher.created', 'voucher.revoked', 'batch.finished']
  const hook = { name: 'Sink', format: 'generic', url: sink.url, siteIds: undefined, events } as const
  await addWebhook({ db, keyring: testKeyring }, testActor, hook)
  const { person } = await addPerson(db, testActor, {
    email: 'vogt@example.com',
    name: 'Vogt',
    role: 'admin',
    siteIds: undefined,
    language: null,
  })
  await updatePasswordHash(db, person.id, await hashPassword('Zwölf-graue-Kraniche-7'))
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await call(`${service.url}/api/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect([path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([path, expect.any(Number), ''])
    return answer
  }

  const created = (await send('POST', '/vouchers', { site_id: site, name: 'Zimmer 7' })).json()
  await send('PATCH', `/vouchers/${created.id}`, { name: 'Zimmer 8' })
  const batch = (await send('POST', '/batches', { site_id: site, names: ['A', 'B', 'C'] })).json()
  await vi.waitFor(async () => expect((await send('GET', `/batches/${batch.id}`)).json().finished_at).not.toBeNull())
  await send('POST', '/revocations', { filter: { site_id: [site], batch_id: batch.id } })
  const inVouchers = async (condition: string) => (await db.query(`select from vouchers where ${condition}`)).rowCount
  await vi.waitFor(async () => expect(await inVouchers(`status = 'revoked'`)).toBe(3))
  await vi.waitFor(async () =>
    expect((await db.query('select from sites where synced_at is not null')).rowCount).toBe(1),
  )
  const notified = () => new Set(sink.received.map(({ body }) => JSON.parse(body).type))
  await vi.waitFor(() => expect(notified()).toEqual(new Set(events)))
  const signIn = await call(`${service.url}/api/v2/session`, {
    method: 'POST',
    headers: { origin: service.url, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'vogt@example.com', password: 'Zwölf-graue-Kraniche-7' }),
  })
  const cookie = String(signIn.headers['set-cookie']).split(';')[0] as string
  const audit = await call(`${service.url}/api/v2/audit`, { headers: { cookie } })

  expect(signIn.status).toBe(200)
  expect(audit.json().can_be_changed).toBe(false)
  expect(audit.json().entries.map(({ action }: { action: string }) => action)).toContain('voucher.changed')
  expect(await service.stop()).toBe(0)
  expect(service.log.filter((line) => /permission denied|"level":[56]0/.test(line))).toEqual([])
})

test('`audit export` as the owner is rejected while the service works, because it could miss entries', async () => {
  await db.query('select 1') // keeps a connection of the service open

  const asOwner = await spawnCommand(ownerUrl, ['audit', 'export'])
  const asService = await spawnCommand(serviceUrl, ['audit', 'export', '--chain'])

  expect([asOwner.exitCode, asOwner.stdout, asOwner.stderr]).toEqual([
    1,
    '',
    expect.stringContaining('Run it with the DATABASE_URL of the service.'),
  ])
  expect([asService.exitCode, asService.stderr]).toEqual([0, ''])
})

test('old rows of every table can be deleted', async () => {
  for (const { retention } of listRetentionRules({ retainVouchersDays: 30 })) await deleteOldRows(db, retention)

  expect(await deleteOldAudit(db)).toBe(0)
})

/** The message of a command that needs the owner, on a database without tables. */
function runAsOwner({ ownerUrl: url, serviceRole: role }: Awaited<ReturnType<typeof createTwoRoles>>): string {
  const { username: owner, pathname } = new URL(url)
  return `voucher-service: The user "${role}" may not create tables in the database "${pathname.slice(1)}", which belongs to "${owner}". Run this command as the owner: with the address of "${owner}" in DATABASE_URL, and with SERVICE_ROLE=${role} if the service works as "${role}".\n`
}

test('`migrate` and `doctor` of the role of the service name the owner of an empty database', async () => {
  const empty = await createTwoRoles({ isMigrated: false })

  const migrate = await spawnCommand(empty.serviceUrl, ['migrate'])
  const doctor = await spawnCommand(empty.serviceUrl, ['doctor', '--no-controllers'])

  expect([migrate.exitCode, migrate.stderr]).toEqual([1, runAsOwner(empty)])
  expect(doctor.stdout).toContain(
    `Run \`voucher-service migrate\` as the owner "${new URL(empty.ownerUrl).username}", with SERVICE_ROLE=${empty.serviceRole}.`,
  )
  expect(doctor.stdout).not.toContain('grant create')
})

test('the owner restores a backup of the service, and the service uses it at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roles-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'vouchers.backup')
  const empty = await createTwoRoles({ isMigrated: false })

  const backup = await spawnCommand(serviceUrl, ['backup', file])
  const asService = await spawnCommand(empty.serviceUrl, ['restore', file])
  const restored = await spawnCommand(empty.ownerUrl, ['restore', file], { env: { SERVICE_ROLE: empty.serviceRole } })
  const doctor = await spawnCommand(empty.serviceUrl, ['doctor', '--no-controllers'])

  expect([backup.exitCode, backup.stderr]).toEqual([0, expect.stringContaining('The backup is complete')])
  expect([asService.exitCode, asService.stderr]).toEqual([1, runAsOwner(empty)])
  expect([restored.exitCode, restored.stderr]).toEqual([0, expect.stringContaining('The backup is restored')])
  expect([doctor.exitCode, doctor.stdout]).toEqual([0, expect.stringContaining('The service cannot change the audit')])
})

test.each(['start', 'api', 'worker'])(
  '`%s` creates no tables and names the owner when the schema is behind',
  async (command) => {
    const empty = await createTwoRoles({ isMigrated: false })
    const { rows } = await owner.query<{ name: string }>('select name from migrations order by name desc limit 1')
    await owner.query('delete from migrations where name = $1', [rows[0]?.name])

    const onEmpty = await spawnCommand(empty.serviceUrl, [command])
    const onOld = await spawnCommand(serviceUrl, [command])
    await owner.query('insert into migrations (name, run_on) values ($1, now())', [rows[0]?.name])

    const words = (url: string) =>
      `voucher-service: The database is not up to date: migration ${rows[0]?.name} is missing. Run \`voucher-service migrate\` as the owner "${new URL(url).username}" first.\n`
    expect([onEmpty.exitCode, onEmpty.stderr]).toEqual([1, words(empty.ownerUrl)])
    expect([onOld.exitCode, onOld.stderr]).toEqual([1, words(ownerUrl)])
    expect((await empty.admin.query(`select from pg_class where relnamespace = 'public'::regnamespace`)).rowCount).toBe(
      0,
    )
  },
)

test('a restore without SERVICE_ROLE says that only the owner can use it, and the service names the missing step', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roles-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'vouchers.backup')
  const empty = await createTwoRoles({ isMigrated: false })
  const ownerRole = new URL(empty.ownerUrl).username
  await spawnCommand(serviceUrl, ['backup', file])

  const wrong = await spawnCommand(empty.ownerUrl, ['restore', file], { env: { SERVICE_ROLE: 'nobody' } })
  const unfit = await spawnCommand(empty.ownerUrl, ['restore', file], { env: { SERVICE_ROLE: ownerRole } })
  const restored = await spawnCommand(empty.ownerUrl, ['restore', file]) // it rejects a database that has tables
  const started = await spawnCommand(empty.serviceUrl, ['start'])

  expect([wrong.exitCode, wrong.stderr]).toEqual([
    1,
    expect.stringContaining('"nobody" of SERVICE_ROLE does not exist'),
  ])
  expect([unfit.exitCode, unfit.stderr]).toEqual([
    1,
    expect.stringContaining(`The role "${ownerRole}" owns the tables`),
  ])
  expect([restored.exitCode, restored.stderr]).toEqual([
    0,
    expect.stringContaining(`Only the role "${ownerRole}" can use this database, because SERVICE_ROLE is not set.`),
  ])
  expect([started.exitCode, started.stderr]).toEqual([
    1,
    `voucher-service: The role "${empty.serviceRole}" may not read the tables of the service. Run \`voucher-service migrate\` as the owner "${ownerRole}", with SERVICE_ROLE=${empty.serviceRole}.\n`,
  ])
})
