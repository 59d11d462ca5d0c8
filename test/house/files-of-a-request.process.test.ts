import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { serverUrl } from '#test/data/template-database.ts'
import { report } from '#test/measuring.ts'

const program = fileURLToPath(new URL('files-of-a-request.ts', import.meta.url))

test('a POST /api/vouchers.php that is answered with 201 runs code of at most 30 files', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, serverUrl])
  const files = stdout.trim().split('\n')

  report('files that POST /api/vouchers.php crosses', files.length)
  expect(files).toContain('domain/creating/create-voucher.ts')
  expect(files.length).toBeLessThanOrEqual(30)
})
