import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { report } from '#test/report.ts'
import { median } from '#test/statistics.ts'

const root = new URL('../..', import.meta.url)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '')
const sources = files.filter(
  (path) => /^(bin|src|simulator|web)\/.*\.(ts|tsx|js)$/.test(path) && !/\.(test|suite)\.ts$/.test(path),
)
const linesOf = (path: string) => readFileSync(new URL(path, root), 'utf8').split('\n').length - 1

test('no file over 300 lines, median under 100', () => {
  const lines = sources.map(linesOf)
  report(`lines of ${lines.length} source files, median and longest`, [median(lines), Math.max(...lines)])

  expect(sources.filter((path) => linesOf(path) > 300)).toEqual([])
  expect(median(lines)).toBeLessThan(100)
})

test('SQL stands only in *.queries.ts and in the tools that own a table', () => {
  const owners = [
    'src/limits/postgres-counter.ts',
    'src/queue/queue.ts',
    'src/db/migrate.ts',
    'src/db/database.ts',
    'src/db/database-clock.ts',
    'src/db/own-database.ts',
  ]
  const withSql = sources.filter(
    (path) => path.startsWith('src/') && /\.query(<[^>]*>)?\(/.test(readFileSync(new URL(path, root), 'utf8')),
  )

  expect(withSql.filter((path) => !path.endsWith('.queries.ts')).toSorted()).toEqual(owners.toSorted())
})

test('every version in package.json is exact', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
})
