import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { serverUrl } from '#test/data/template-database.ts'
import { isLong } from '#test/measuring.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'generated-clients-'))
onFileEnd(() => rmSync(folder, { recursive: true }))

async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: folder }).catch(({ stdout, stderr }) =>
    expect.fail(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`),
  )
  return stdout
}

/** Starts `voucher-service demo` and returns the line that it prints for programs. */
async function startDemo(): Promise<{ url: string; keys: { write: string } }> {
  const demo = spawn(process.execPath, [join(root, 'bin/voucher-service.js'), 'demo', '--port', '0'], {
    env: { PATH: process.env['PATH'], DATABASE_URL: serverUrl },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(demo, 'exit')
  onFileEnd(async () => {
    demo.kill('SIGTERM') // then it drops its database
    await ended
  })
  const [line] = (await once(createInterface({ input: demo.stdout }), 'line')) as [string]
  return JSON.parse(line)
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** Only in the long run: the generators are installed from npm, with the TypeScript 5 that they need. */
describe.runIf(isLong)('clients that generators from npm make from the document', () => {
  let demo: Awaited<ReturnType<typeof startDemo>>
  beforeAll(async () => {
    demo = await startDemo()
    cpSync(join(root, 'test/outside-clients/generators'), folder, { recursive: true })
    cpSync(join(root, 'client'), join(folder, 'client'), {
      recursive: true,
      filter: (path) => !/generator|\.test\.ts$/.test(path.slice(root.length)),
    })
    writeFileSync(join(folder, 'openapi.json'), (await call(`${demo.url}/api/v2/openapi.json`)).text)
    await run('npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts')
    await run('npx', 'openapi-typescript', 'openapi.json', '--output', 'openapi-fetch/schema.ts')
    await run('npx', 'openapi-ts', '--file', 'hey-api.config.ts')
  }, 300_000)

  test('they compile with TypeScript 5, and so does our own client', async () => {
    await run('npx', 'tsc')
    await run('npx', 'tsc', '--project', 'client-in-browsers.json')
  })

  test('they compile with the TypeScript of this project', async () => {
    await run(join(root, 'node_modules/.bin/tsc'))
  })

  test.each(['openapi-fetch', 'hey-api'])('the client of %s checks in, extends and checks out', async (name) => {
    const [checkOut, later, latest] = [inDays(2), inDays(4), inDays(9)]
    const { url, keys } = demo
    const printed = await run(
      process.execPath,
      `stay-with-${name}.ts`,
      `${url}/api/v2`,
      keys.write,
      checkOut,
      later,
      latest,
    )

    const { voucher, extended, revocation, vouchers, error, status } = JSON.parse(printed)
    expect(voucher).toMatchObject({ site_id: 1, name: 'Room 12', reference: name, valid_until: checkOut })
    expect(extended).toMatchObject({ id: voucher.id, code: voucher.code, status: 'valid', valid_until: later })
    expect(revocation).toMatchObject({ state: 'done', total: 1, revoked: 1 })
    expect(vouchers).toMatchObject([{ id: voucher.id, status: 'revoked' }])
    expect([error, status]).toEqual(['invalid_request', 400])
  })
})
