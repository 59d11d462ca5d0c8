import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { seedKey } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { spawnCommand, startService } from '#test/service.ts'

const db = await createTestDatabase()
const processes = await Promise.all([startService(db.url), startService(db.url)])
const perSecond = 200

test('no request after the revocation of its key is accepted, at 200 requests a second on two processes', async () => {
  const { key, prefix } = await seedKey(db)
  const requests: Promise<{ begun: number; status: number }>[] = []
  let going = true
  const load = (async () => {
    for (let i = 0; going; i++) {
      const begun = performance.now()
      const url = `${processes[i % 2]?.url}/api/sites.php`
      requests.push(call(url, { headers: { 'x-api-key': key } }).then(({ status }) => ({ begun, status })))
      await wait(1000 / perSecond)
    }
  })()

  const sendMore = async (count: number) => {
    for (const target = requests.length + count; requests.length < target; ) await wait(10)
  }

  await sendMore(perSecond)
  const revocation = await spawnCommand(db.url, ['keys', 'revoke', prefix])
  const answered = performance.now()
  await sendMore(perSecond)
  going = false
  await load
  const answers = await Promise.all(requests)
  const [before, after] = [answers.filter((a) => a.begun <= answered), answers.filter((a) => a.begun > answered)]

  expect(revocation.exitCode).toBe(0)
  expect(before.filter((a) => a.status === 200).length).toBeGreaterThan(perSecond / 2)
  expect(after.length).toBeGreaterThan(perSecond / 2)
  expect(after.filter((a) => a.status !== 401)).toEqual([])
})
