import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { median, report } from '#test/measuring.ts'

const root = new URL('../..', import.meta.url)
const sources = globSync('{bin,src,simulator,client,web,bench,test}/**/*.{ts,tsx,js}', {
  cwd: fileURLToPath(root),
  exclude: ['**/*.{test,suite,generated}.ts', '**/node_modules/**', '**/dist/**'],
}).toSorted()
const linesOf = (path: string) => readFileSync(new URL(path, root), 'utf8').split('\n').length - 1

test('source files have 60 to 120 lines in the median, few under 20, none over 300, and a folder has at most 15 files', () => {
  const lines = sources.map(linesOf)
  const tiny = sources.filter((path) => linesOf(path) < 20)
  const inFolders = Object.entries(Object.groupBy(sources, dirname)).map(
    ([folder, files]) => [folder, files?.length ?? 0] as const,
  )
  report(`lines of ${lines.length} source files, median and longest`, [median(lines), Math.max(...lines)])
  report('source files under 20 lines, in percent', (100 * tiny.length) / sources.length)

  expect(sources.filter((path) => linesOf(path) > 300)).toEqual([])
  expect(median(lines)).toBeGreaterThanOrEqual(60)
  expect(median(lines)).toBeLessThanOrEqual(120)
  expect(tiny.length / sources.length).toBeLessThan(0.1)
  expect(inFolders.filter(([, count]) => count > 15)).toEqual([])
})

test('the client has at most 300 lines besides its generated types', () => {
  const client = sources.filter((path) => dirname(path) === 'client')
  const lines = client.reduce((sum, path) => sum + linesOf(path), 0)

  report('lines of the client', lines)
  expect(client).toContain('client/voucher-client.ts')
  expect(lines).toBeLessThanOrEqual(300)
})

test('SQL is only in *.queries.ts and in the tools that own a table', () => {
  const owners = [
    'src/limits/limiter.ts',
    'src/queue/queue.ts',
    'src/db/migrate.ts',
    'src/db/database.ts',
    'src/db/create-database.ts',
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
