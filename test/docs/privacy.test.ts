import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { operations } from '#http/v2/register-v2.ts'
import { columnsWithGuests } from '../guests/guest-columns.ts'

const page = readFileSync(new URL('../../docs/privacy.md', import.meta.url), 'utf8')

/** The first cells of the table below a heading or a line. */
const firstCellsBelow = (line: string) =>
  (
    page
      .split(line)[1]
      ?.split('\n\n')
      .find((part) => part.trimStart().startsWith('|')) ?? ''
  )
    .split('\n')
    .filter((row) => row.startsWith('| `'))
    .map((row) => row.split('|')[1] as string)

test('the page lists exactly the tables with data of guests', () => {
  const tables = firstCellsBelow('### In the database\n').map((cell) => cell.replaceAll('`', '').trim())

  expect(tables.toSorted()).toEqual(Object.keys(columnsWithGuests).toSorted())
})

/** Parameters by which somebody looks for a guest. */
const parametersOfGuests = ['name', 'reference', 'code', 'text', 'query']
/** Their search texts are names of people who work with the service, and of sites. */
const withoutGuests = ['/staff', '/sites']

test('the page lists every path whose query can have data of a guest', () => {
  const paths = operations
    .filter(({ query }) => parametersOfGuests.some((name) => name in (query?.properties ?? {})))
    .map(({ path }) => path)
    .filter((path) => !withoutGuests.includes(path))
  const listed = firstCellsBelow('These queries can contain data of guests:\n').join(' ')

  expect(paths.length).toBeGreaterThan(4)
  expect(paths.filter((path) => !listed.includes(`GET /api/v2${path}\``))).toEqual([])
})
