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
    'src/db/run-in-steps.ts',
    'src/db/database.ts',
    'src/db/write-guard.ts',
    'src/db/create-database.ts',
    'src/commands/import/php-tool/read-source.ts', // the database of the other system
  ]
  const withSql = sources.filter(
    (path) => path.startsWith('src/') && /\.query(<[^>]*>)?\(/.test(readFileSync(new URL(path, root), 'utf8')),
  )

  expect(withSql.filter((path) => !path.endsWith('.queries.ts')).toSorted()).toEqual(owners.toSorted())
})

test('DatabaseClient opens every connection to PostgreSQL, so that each has the settings of the service', () => {
  const texts = sources
    .filter((path) => path.startsWith('src/'))
    .map((path) => readFileSync(new URL(path, root), 'utf8'))
  const opened = texts.flatMap((text) => [...text.matchAll(/new (pg\.Client|pg\.Pool|PgBoss)\([\s\S]{0,300}/g)])

  expect(opened.map(([, name]) => name).toSorted()).toEqual(['PgBoss', 'PgBoss', 'pg.Pool'])
  for (const [text] of opened) expect(text).toMatch(/Client: DatabaseClient|executeSql/) // pg-boss uses our pool
})

test('every version in package.json is exact', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
})
