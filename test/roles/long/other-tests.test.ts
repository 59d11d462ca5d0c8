import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { processEnvironment } from '#test/environment.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Tests of everything that the service does while it runs. Those of commands for the owner are left out. */
const files = ['src/http', 'src/domain', 'src/worker', 'src/queue', 'src/limits', 'test/events', 'test/withdrawals']

test('other tests of the service pass with a role that cannot change the audit', async () => {
  const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
    cwd: root,
    env: { ...processEnvironment, TEST_SERVICE_ROLE: 'yes' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  vitest.stdout.on('data', (chunk) => (output += chunk))
  const [code] = await once(vitest, 'close')

  expect([code, code === 0 ? '' : output]).toEqual([0, ''])
  expect(Number(/^(\d+) passed/m.exec(output)?.[1])).toBeGreaterThan(3_000)
})
