import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onFileEnd } from '#test/on-file-end.ts'
import { pruneBackups } from './prune-backups.ts'

/** A folder with a file for each name, written this many days ago. */
function fill(files: Record<string, number>, content = 'PGDMP\x01'): string {
  const folder = mkdtempSync(join(tmpdir(), 'prune-'))
  onFileEnd(() => rmSync(folder, { recursive: true }))
  for (const [name, daysAgo] of Object.entries(files)) add(folder, name, daysAgo, content)
  return folder
}

function add(folder: string, name: string, daysAgo: number, content: string): void {
  writeFileSync(join(folder, name), content)
  const time = Date.now() / 1_000 - daysAgo * 86_400
  utimesSync(join(folder, name), time, time)
}

test('backups that are too old are deleted, and younger ones stay', async () => {
  const folder = fill({ '1.backup': 1, '2.backup': 2, '13.backup': 13, '13-9.backup': 13.9, '15.backup': 15 })

  expect(await pruneBackups(folder, 14)).toEqual([join(folder, '15.backup')])
  expect(readdirSync(folder).toSorted()).toEqual(['1.backup', '13-9.backup', '13.backup', '2.backup'])
})

test('the newest three backups stay, however old they are', async () => {
  const folder = fill({ 'a.backup': 40, 'b.backup': 50, 'c.backup': 60, 'd.backup': 70 })

  expect(await pruneBackups(folder, 14)).toEqual([join(folder, 'd.backup')])
  expect(await pruneBackups(folder, 14)).toEqual([])
})

test('other files and folders stay, and do not count as backups', async () => {
  const folder = fill({ 'a.backup': 20, 'b.backup': 30, 'c.backup': 40, 'old.sql': 90 })
  add(folder, 'notes.backup', 90, 'my notes')
  add(folder, 'empty.backup', 1, '')
  mkdirSync(join(folder, 'folder.backup'))

  expect(await pruneBackups(folder, 14)).toEqual([])
  expect(readdirSync(folder)).toHaveLength(7)
})
