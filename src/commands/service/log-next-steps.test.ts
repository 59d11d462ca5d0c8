import { expect, test } from 'vitest'
import { loadConfig } from '#config.ts'
import type { Context } from '#context.ts'
import { openSetup } from '#domain/people/setup.ts'
import { keyring } from '#lib/settings.ts'
import { createTestDatabase, type TestDatabase } from '#test/data/database.ts'
import { seedPerson } from '#test/data/seed.ts'
import { testEnvironment, testKeyring } from '#test/environment.ts'
import { logNextSteps } from './log-next-steps.ts'

/** The messages of an api with these settings on port 8080. The first one is about the web app, which may not be built here. */
async function messagesOf(db: TestDatabase, env: Record<string, string> = {}): Promise<string[]> {
  const messages: string[] = []
  const keep = (...args: unknown[]) => void messages.push(args.at(-1) as string)
  const log = { info: keep, warn: keep, error: keep } as unknown as Context['log']
  await logNextSteps({ db, log, keyring: testKeyring, config: loadConfig(testEnvironment(db.url, env)) }, 8080)
  return messages.slice(1)
}

test('without an administrator, the log says where to enter which token', async () => {
  const db = await createTestDatabase()
  const setup = await openSetup(db, { keyring: testKeyring, given: undefined })

  expect(await messagesOf(db)).toEqual([
    `there is no administrator yet: open http://localhost:8080/first-run and enter the setup token ${setup?.token}`,
  ])
  expect(await messagesOf(db, { SETUP_TOKEN: 'my-own-setup-token', PUBLIC_URL: 'https://vouchers.example' })).toEqual([
    'there is no administrator yet: open https://vouchers.example/first-run and enter SETUP_TOKEN',
  ])
})

test('a token that another encryption key made cannot be shown, and the log says what to do', async () => {
  const db = await createTestDatabase()
  const other = keyring(`other:${Buffer.alloc(32, 'other').toString('base64')}`)
  await openSetup(db, { keyring: other, given: undefined })

  expect(await messagesOf(db)).toEqual([expect.stringContaining('run `voucher-service staff add --role admin`')])
})

test('with an administrator, the log asks only for PUBLIC_URL, and only if other machines can connect', async () => {
  const db = await createTestDatabase()
  await seedPerson(db, { role: 'admin' })

  expect(await messagesOf(db)).toEqual([])
  expect(await messagesOf(db, { LISTEN_ADDRESS: '::1' })).toEqual([])
  expect(await messagesOf(db, { LISTEN_ADDRESS: '0.0.0.0', PUBLIC_URL: 'https://vouchers.example' })).toEqual([])
  expect(await messagesOf(db, { LISTEN_ADDRESS: '0.0.0.0' })).toEqual([
    expect.stringContaining('PUBLIC_URL is not set'),
  ])
})
