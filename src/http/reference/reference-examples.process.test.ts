import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { png } from '#test/data/images.ts'
import { seedKey, seedSite } from '#test/data/seed.ts'
import { call } from '#test/network/http-client.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { operations } from '../v2/register-v2.ts'

const app = await startApp()
const folder = mkdtempSync(join(tmpdir(), 'reference-'))
onFileEnd(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'logo.png'), png)
writeFileSync(join(folder, 'sites.csv'), 'name,controller,controller_site\nHotel,adler,default\n')
const page = await call(`${app.url}/reference`)

describe('every example, pasted into a shell, is a request that the API understands', async () => {
  await seedSite(app.db)
  const { key } = await seedKey(app.db, { scope: 'manage' })
  const plainText = (text: string) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const examples = [...page.text.matchAll(/<pre>(curl [\s\S]*?)<\/pre>/g)].map(([, text]) => plainText(text as string))

  test('there is an example for each operation that a key may call', () =>
    expect(examples).toHaveLength(operations.filter(({ scope }) => scope).length))

  test.concurrent.each(examples)('%s', async (example) => {
    const shell = `${example} --silent --output /dev/null --write-out '%{http_code}'`
    const env = { PATH: process.env['PATH'], API: `${app.url}/api/v2`, KEY: key }
    const { stdout } = await promisify(execFile)('bash', ['-c', shell], { cwd: folder, env })

    // 404: there is no such voucher. 409: a webhook still refers to the site. 500: nobody answers for the site's controller.
    expect(['200', '201', '202', '204', '404', '409', '500']).toContain(stdout)
  })
})
