import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedKey, seedSite, seedVoucher } from '#test/data/seed.ts'
import { setUpMail } from '#test/mail.ts'

const app = await startApp() // no worker, so that a message stays due
const mail = await setUpMail(app)
const site = await seedSite(app.db)
const { key } = await seedKey(app.db, { scope: 'manage' })

const post = (path: string, body: object) =>
  app.call(`/api/v2${path}`, { method: 'POST', key, body: JSON.stringify(body) })
const testServer = async (change: object = {}) =>
  (await post('/settings/mail/test', { to: 'a@adler.example', ...change })).json().ok
const isDueAfter = async (run: () => Promise<unknown>, pause: string) => {
  await app.db.query(`update messages set next_attempt_at = now() + $1::interval`, [pause])
  await run()
  const { rows } = await app.db.query('select next_attempt_at <= now() as due, attempts from messages')
  return rows
}

test('a successful test of the stored server sends waiting messages now, but none that is being sent', async () => {
  await post(`/vouchers/${site}-${await seedVoucher(app.db, site)}/messages`, { email: 'gast@example.org' })
  const due = [{ due: true, attempts: 0 }]
  const waits = [{ due: false, attempts: 0 }]
  const elsewhere = { host: '127.0.0.1', port: mail.port, security: 'none' }

  mail.faults.to = { code: 451, text: 'Try again later' }
  expect(await isDueAfter(async () => expect(await testServer()).toBe(false), '36 minutes')).toEqual(waits)
  delete mail.faults.to
  expect(await isDueAfter(async () => expect(await testServer(elsewhere)).toBe(true), '36 minutes')).toEqual(waits)
  expect(await isDueAfter(async () => expect(await testServer()).toBe(true), '89 seconds')).toEqual(waits) // perhaps a lease
  expect(await isDueAfter(async () => expect(await testServer()).toBe(true), '36 minutes')).toEqual(due)
})
