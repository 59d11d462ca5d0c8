import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { checkKeyring } from '#domain/secrets/check-keyring.ts'
import { rotateSecrets } from '#domain/secrets/rotate-secrets.ts'
import { startTestWorker } from '#test/app.ts'
import { seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import { type Received, startWebhookSink } from '#test/network/webhook-sink.ts'
import { addWebhook } from './administer-webhooks.ts'
import { rotateWebhookSecret } from './webhook-secret.ts'
import { deletePreviousSecrets } from './webhooks.queries.ts'

const { db, notify } = await startTestWorker()
const site = { id: await seedSite(db), name: 'Haus' }
const sink = await startWebhookSink()
const add = (name: string, format: string) =>
  addWebhook({ db, keyring: testKeyring }, testActor, { name, format, url: sink.url, siteIds: undefined })
const first = (await add('hook', 'generic')).secret as string

let second = ''

/** Tells for each secret whether the library of Standard Webhooks verifies the next notification with it. */
async function verifiedBy(secrets: string[]): Promise<boolean[]> {
  const before = sink.received.length
  await notify(site)
  await vi.waitFor(() => expect(sink.received).toHaveLength(before + 1), { timeout: 20_000 })
  return secrets.map((secret) => verifies(secret, sink.received.at(-1) as Received))
}

function verifies(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

test('for 24 hours both secrets sign, then only the new one', async () => {
  expect(await verifiedBy([first])).toEqual([true])
  const rotated = await rotateWebhookSecret({ db, keyring: testKeyring }, testActor, 'hook')
  const { previousSecretUntil } = rotated
  second = rotated.secret
  expect(previousSecretUntil.getTime() - Date.now()).toBeGreaterThan(86_390_000)
  expect(previousSecretUntil.getTime() - Date.now()).toBeLessThanOrEqual(86_400_000)
  expect(await verifiedBy([first, second])).toEqual([true, true])
  expect(sink.received.at(-1)?.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)

  await db.query(`update webhooks set previous_secret_until = now() - interval '1 second'`)
  expect(await verifiedBy([first, second])).toEqual([false, true])
  expect(await deletePreviousSecrets(db, 10)).toBe(1)
  expect((await db.query('select previous_secret from webhooks')).rows).toEqual([{ previous_secret: null }])
})

test('rotated again within the day, all secrets of the day sign; all can be decrypted after a rotation of the encryption key', async () => {
  const { secret: third } = await rotateWebhookSecret({ db, keyring: testKeyring }, testActor, 'hook')
  const { secret: fourth } = await rotateWebhookSecret({ db, keyring: testKeyring }, testActor, 'hook')
  expect(await verifiedBy([first, second, third, fourth])).toEqual([false, true, true, true])

  const next = { currentId: 'next', keys: new Map([['next', Buffer.alloc(32, 9)], ...testKeyring.keys]) }
  await rotateSecrets(db, next)
  await checkKeyring(db, { currentId: 'next', keys: new Map([['next', Buffer.alloc(32, 9)]]) })
  await rotateSecrets(db, { ...next, currentId: testKeyring.currentId })
  expect(await verifiedBy([third, fourth])).toEqual([true, true])
})

test('the secret that the receiver has still signs after five rotations whose answers were lost', async () => {
  await add('lost', 'generic')
  const { secret } = await rotateWebhookSecret({ db, keyring: testKeyring }, testActor, 'lost')
  await db.query(`update webhooks set previous_secret = null, previous_secret_until = null where name = 'lost'`)
  await db.query(`delete from webhooks where name = 'hook'`)

  for (let i = 0; i < 5; i++) await rotateWebhookSecret({ db, keyring: testKeyring }, testActor, 'lost')

  expect(await verifiedBy([secret])).toEqual([true])
  expect(String(sink.received.at(-1)?.headers['webhook-signature']).split(' ')).toHaveLength(4)
})

test('the audit has the rotation without the secret; a webhook without a signature has nothing to rotate', async () => {
  const { rows } = await db.query(`select details from audit where action = 'webhook.rotated'`)
  await add('chat', 'slack')

  expect(rows).toHaveLength(9)
  expect(JSON.stringify(rows)).not.toContain('whsec_')
  await expect(rotateWebhookSecret({ db, keyring: testKeyring }, testActor, 'chat')).rejects.toThrow('webhook_unsigned')
  await expect(rotateWebhookSecret({ db, keyring: testKeyring }, testActor, 'nobody')).rejects.toThrow(
    'webhook_not_found',
  )
})
