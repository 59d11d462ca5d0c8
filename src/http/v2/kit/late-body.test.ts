import { request } from 'node:http'
import { expect, test } from 'vitest'
import { revokeKey } from '#domain/keys/administer-keys.ts'
import { setPerson } from '#domain/people/administer-staff.ts'
import { startApp } from '#test/app.ts'
import { seedKey, seedPerson, seedSite, testActor } from '#test/data/seed.ts'

const app = await startApp()
const [here, there] = [await seedSite(app.db), await seedSite(app.db)]
await seedPerson(app.db, { role: 'admin' })

/** Sends the headers, waits until the service has read the caller, does something else, and then sends the body. */
function sendLate(path: string, credentials: Record<string, string>, body: object, meanwhile: () => Promise<unknown>) {
  const headers = { 'content-type': 'application/json', origin: app.url, ...credentials }
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request(app.url + path, { method: 'POST', headers }, async (received) => {
      resolve({ status: received.statusCode, text: Buffer.concat(await received.toArray()).toString() })
    })
    sent.on('error', reject)
    sent.flushHeaders()
    setTimeout(() => void meanwhile().then(() => sent.end(JSON.stringify(body)), reject), 300)
  })
}

test('an administrator who was deactivated before the body arrived gets no key', async () => {
  const { id, session } = await seedPerson(app.db, { role: 'admin' })
  const cookie = `voucher-session=${session}`
  const deactivate = () => setPerson(app.db, testActor, { id }, { active: false })

  const { status, text } = await sendLate('/api/v2/keys', { cookie }, { name: 'Late', scope: 'write' }, deactivate)

  expect([status, JSON.parse(text).error]).toEqual([401, 'session_ended'])
  expect((await app.db.query(`select from api_keys where name = 'Late'`)).rowCount).toBe(0)
})

test('the rights of a person are those at the time when the body has arrived', async () => {
  const { id, session } = await seedPerson(app.db, { role: 'manager' })
  const cookie = `voucher-session=${session}`
  const lessSites = () => setPerson(app.db, testActor, { id }, { siteIds: [there] })
  const lessRole = () => setPerson(app.db, testActor, { id }, { role: 'desk' })
  const template = { name: 'Late', site_id: here, expire_minutes: 60 }

  expect((await sendLate('/api/v2/templates', { cookie }, template, lessSites)).status).toBe(404)
  expect((await sendLate('/api/v2/templates', { cookie }, { ...template, site_id: there }, lessRole)).status).toBe(403)
})

test.each(['/api/v2/vouchers', '/api/vouchers.php'])(
  'a key that was revoked before the body arrived: %s',
  async (path) => {
    const { id, key } = await seedKey(app.db, { scope: 'write' })
    const authorization = `Bearer ${key}`
    const revoke = () => revokeKey(app.db, testActor, id)

    const { status } = await sendLate(path, { authorization }, { site_id: here, name: 'Late' }, revoke)

    expect(status).toBe(401)
  },
)

test('a late body counts once towards the limit', async () => {
  const { key } = await seedKey(app.db, { scope: 'write', rateLimit: 2 })
  const authorization = `Bearer ${key}`

  const late = await sendLate('/api/v2/vouchers', { authorization }, {}, async () => {})
  const next = await app.call('/api/v2/sites', { key })

  expect([late.status, next.status]).toEqual([400, 200])
})
