import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedControlledSite } from '#test/data/seed.ts'
import { startSimulator } from '#test/network/simulator.ts'
import { spawnCommand } from '#test/service.ts'
import { shellBlocksOf } from '../docs/shell-blocks.ts'

const page = readFileSync(new URL('../../docs/watching.md', import.meta.url), 'utf8')

test('the command on docs/watching.md runs, and its lines look as on the page', async () => {
  const app = await startApp()
  await seedControlledSite(app.db, await startSimulator())
  const [block = ''] = shellBlocksOf(page)
  const [program, ...args] = block.trim().split(' ')

  const { exitCode, stdout } = await spawnCommand(app.db.url, args)
  const checksIn = (text: string) =>
    [...text.matchAll(/^(?:ok|warning|problem) +(\w[\w -]*?) {2,}/gm)].map(([, name]) => name)
  const printed = checksIn(stdout).filter((check) => check !== 'people') // the example has an administrator

  expect(program).toBe('voucher-service')
  expect(exitCode).toBe(0)
  expect([...new Set(printed)]).toEqual([...new Set(checksIn(page))])
  expect(stdout).toMatch(/\nProblems: 0, warnings: 2, ok: \d+\n$/)
})

test('the table of docs/watching.md has every check of the doctor, and no other', () => {
  const folder = new URL('../../src/commands/doctor/', import.meta.url)
  const sources = globSync('*.ts', { cwd: folder, exclude: ['*.test.ts'] })
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n')
  const checks = [...sources.matchAll(/findingsOf\('([^']+)'\)/g)].map(([, check]) => check)
  const table = /\| check \| what it looks at \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page)?.[1] ?? ''
  const listed = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, names = '']) => names.split(', '))

  expect(listed.toSorted()).toEqual([...new Set(checks)].toSorted())
})
