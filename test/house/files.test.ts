import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url)
const sources = globSync('{bin,src,simulator,client,web,bench,test}/**/*.{ts,tsx,js}', {
  cwd: fileURLToPath(root),
  exclude: ['**/*.{test,suite,generated}.ts', '**/node_modules/**', '**/dist/**'],
}).toSorted()

test('SQL is only in *.queries.ts and in the tools that own a table', () => {
  const owners = [
    'src/limits/limiter.ts',
    'src/queue/queue.ts',
    'src/db/migrate.ts',
    'src/db/database.ts',
    'src/db/write-guard.ts',
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
