import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '#test/command.ts'
import { startPostgres, startStandby } from '#test/data/private-stores.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const folder = mkdtempSync(join(tmpdir(), 'receipts-'))
onFileEnd(() => rmSync(folder, { recursive: true }))

test('a server in recovery may lack the newest receipts, so `guests receipts` does not replace the file', async () => {
  const primary = await startPostgres({ fsync: 'off' })
  await runCommand(primary.url('postgres'), ['migrate'])
  const standby = await startStandby(primary.port, { fsync: 'off' })
  const file = join(folder, 'receipts.jsonl')
  writeFileSync(file, 'newest')
  const refused = await runCommand(standby.url('postgres'), ['guests', 'receipts', '--to', file])
  const kept = readFileSync(file, 'utf8')
  const written = await runCommand(primary.url('postgres'), ['guests', 'receipts', '--to', file])

  expect([refused.exitCode, refused.stderr, kept]).toEqual([1, expect.stringContaining('is in recovery'), 'newest'])
  expect(written.exitCode).toBe(0)
})
