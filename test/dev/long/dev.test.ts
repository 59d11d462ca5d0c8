import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { utimes } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { freePort } from '#test/data/local-servers.ts'
import { queryServer, serverUrl } from '#test/data/template-database.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const root = new URL('../../..', import.meta.url)
const database = `voucher_dev_${randomBytes(6).toString('hex')}`
onFileEnd(() => queryServer(`drop database if exists ${database} with (force)`))

/** Runs `npm run dev`. `started` counts how often the service has begun to listen. */
async function startDev(port: number) {
  const dev = spawn('npm', ['run', 'dev', '--', '--port', String(port), '--database', database], {
    cwd: fileURLToPath(root),
    env: { PATH: process.env['PATH'], DATABASE_URL: serverUrl },
    detached: true,
  })
  const ended = once(dev, 'close')
  onFileEnd(() => dev.exitCode ?? process.kill(-(dev.pid as number), 'SIGKILL'))
  let output = ''
  for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (chunk) => (output += chunk))
  const started = async (times: number) =>
    vi.waitFor(() => expect(output.match(/api is listening on/g) ?? []).toHaveLength(times), { timeout: 60_000 })
  await started(1)
  const webUrl = /Open the web app at ([^;\s]+);/.exec(output)?.[1] as string
  const key = /X-API-Key: (\S+)'/.exec(output)?.[1] as string
  const vouchersUrl = `http://127.0.0.1:${port}/api/vouchers.php`
  return {
    started,
    webUrl,
    create: async () =>
      call(vouchersUrl, { method: 'POST', headers: { 'x-api-key': key }, body: '{"site_id":1,"name":"x"}' }),
    list: async () => (await call(`${vouchersUrl}?site_id=1`, { headers: { 'x-api-key': key } })).text,
    async stop() {
      process.kill(-(dev.pid as number), 'SIGINT') // as Ctrl-C does, to the whole group
      await ended
    },
  }
}

test('`npm run dev` restarts the service when a source changes; its data stays', { timeout: 180_000 }, async () => {
  const port = await freePort()
  const dev = await startDev(port)
  const before = await dev.create()
  await utimes(new URL('src/main.ts', root), new Date(), new Date())
  await dev.started(2)
  const after = await dev.create()
  const list = await dev.list()
  const page = await call(`${dev.webUrl}/desk`, { headers: { accept: 'text/html' } })
  const source = await call(`${dev.webUrl}/src/main.tsx`)
  const passedOn = await call(`${dev.webUrl}/api/v2/nowhere`)
  await dev.stop()
  const closed = await dev.list().catch((error) => error.code)

  const again = await startDev(port)
  const later = await again.create()
  const kept = await again.list()
  await again.stop()

  expect([before.status, after.status, later.status]).toEqual([201, 201, 201])
  expect(list).toContain(before.json().code)
  expect(page.text).toContain('/@vite/client') // hot reload
  expect(source.status).toBe(200)
  expect([passedOn.status, passedOn.json().error]).toEqual([404, 'not_found'])
  expect(closed).toBe('ECONNREFUSED')
  expect(kept).toContain(after.json().code)
})
