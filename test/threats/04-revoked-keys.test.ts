import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { call } from '#test/http-client.ts'
import { seedKey } from '#test/seed.ts'
import { runCommand, startService } from '#test/service.ts'

const db = await createTestDatabase()
const processes = await Promise.all([startService(db.url), startService(db.url)])
const perSecond = 200

test('a key revoked at 200 requests a second on two processes: nothing that began after the answer is accepted', async () => {
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

  await wait(1_000)
  const revocation = await runCommand(db.url, ['keys', 'revoke', prefix])
  const answered = performance.now()
  await wait(1_000)
  going = false
  await load
  const answers = await Promise.all(requests)
  const [before, after] = [answers.filter((a) => a.begun <= answered), answers.filter((a) => a.begun > answered)]

  expect(revocation.exitCode).toBe(0)
  expect(before.filter((a) => a.status === 200).length).toBeGreaterThan(perSecond / 2)
  expect(after.length).toBeGreaterThan(perSecond / 2)
  expect(after.filter((a) => a.status !== 401)).toEqual([])
})
