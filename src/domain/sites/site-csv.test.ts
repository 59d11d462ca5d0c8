import { describe, expect, test } from 'vitest'
import { parseSiteRows } from './site-csv.ts'

const parse = (text: string, maxRows = 100) => parseSiteRows(text, maxRows)
const main = { name: 'Haus', controller: 'c1', controllerSite: 'main', active: true, adoptsVouchers: false }

describe('a file is read', () => {
  test.each([
    ['with commas and LF', 'name,controller,controller_site\nHaus,c1,main\n'],
    ['with semicolons and CRLF', 'name;controller;controller_site\r\nHaus;c1;main\r\n'],
    ['with tabs, as a spreadsheet copies its cells', 'name\tcontroller\tcontroller_site\r\nHaus\tc1\tmain\r\n'],
    ['without a last line end', 'name,controller,controller_site\nHaus,c1,main'],
    ['with quotes and blanks', '"name","controller","controller_site"\n "Haus" , c1,"main "\n'],
    ['with capitals in the header', 'Name,Controller,Controller_Site\nHaus,c1,main\n'],
    ['with columns in another order', 'controller_site,name,controller\nmain,Haus,c1\n'],
  ])('%s', (_what, text) => {
    expect(parse(text)).toEqual({ rows: [{ line: 2, ...main }], refused: [] })
  })

  test('an empty cell between tabs stays a cell', () => {
    const { rows } = parse(
      'name\tcontroller\tcontroller_site\tactive\tadopt\nHaus Süd\tc1\tmain\t\tja\nB\tc1\tb\tnein\t\n',
    )

    expect(rows).toEqual([
      { line: 2, ...main, name: 'Haus Süd', adoptsVouchers: true },
      { line: 3, ...main, name: 'B', controllerSite: 'b', active: false },
    ])
  })

  test('quoted fields may contain separators, quotes and umlauts', () => {
    const { rows } = parse('name;controller;controller_site\n"Haus; ""Süd"", 2";c1;main\n')

    expect(rows).toEqual([{ line: 2, ...main, name: 'Haus; "Süd", 2' }])
  })

  test.each(['\n', '\r\n', '\r'])(
    'each row has the number of its last line, and rows without content are left out: %j',
    (eol) => {
      const text = ['name,controller,controller_site', '', 'a,c1,1', ',,', '   ', '"b', 'b",c1,2', 'c,c1,3'].join(eol)

      expect(parse(text).rows.map(({ line, name }) => [line, name])).toEqual([
        [3, 'a'],
        [7, 'b\nb'],
        [8, 'c'],
      ])
    },
  )
})

test('active and adopt accept several words for yes and no, and have defaults', () => {
  const words = ['true', 'YES', '1', 'ja', 'false', 'no', '0', 'Nein', '']
  const text = `name,controller,controller_site,active,adopt\n${words.map((word) => `x,c1,s,${word},${word}`).join('\n')}`

  const { rows } = parse(text)

  expect(rows.map(({ active }) => active)).toEqual([true, true, true, true, false, false, false, false, true])
  expect(rows.map(({ adoptsVouchers }) => adoptsVouchers)).toEqual([...Array(4).fill(true), ...Array(5).fill(false)])
})

test('a row that cannot be read is rejected, the others are not', () => {
  const text =
    'name,controller,controller_site,active,adopt\na,c1,1,vielleicht,\nb,c1,2,,2\nc,c1\nd,c1,3,,,x\ne,c1,4,,\n'

  const { rows, refused } = parse(text)

  expect(rows).toEqual([{ ...main, line: 6, name: 'e', controllerSite: '4' }])
  expect(refused.map(({ line, name, problem }) => [line, name, problem?.code, problem?.details])).toEqual([
    [2, 'a', 'column_not_yes_or_no', { column: 'active', value: 'vielleicht' }],
    [3, 'b', 'column_not_yes_or_no', { column: 'adopt', value: '2' }],
    [4, 'c', 'row_length_wrong', { fields: 2, columns: 5 }],
    [5, 'd', 'row_length_wrong', { fields: 6, columns: 5 }],
  ])
})

test.each([
  ['', 'csv_columns_missing', { columns: '"name", "controller", "controller_site"' }],
  ['name,controller\nx,y', 'csv_columns_missing', { columns: '"controller_site"' }],
  ['name,controller,controller_site,colour,size\nx,y,z,,', 'csv_columns_unknown', { columns: '"colour", "size"' }],
  ['name,controller,controller_site,name\nx,y,z,x', 'csv_columns_repeated', { columns: '"name"' }],
  [
    `name,controller,controller_site,${'a,b,c,'.repeat(9)}d`,
    'csv_columns_unknown',
    { columns: '"a", "b", "c", "a", "b", …' },
  ],
  [`name,controller,controller_site,${'x'.repeat(60)}`, 'csv_columns_unknown', { columns: `"${'x'.repeat(50)}"` }],
  ['name,controller,controller_site\nx,y,z\nx,"y,z\nx,y,z\n', 'csv_unreadable', { line: 2 }],
  ['name,controller,controller_site\nx,"y" y,z\n', 'csv_unreadable', { line: 1 }],
  ['"name', 'csv_unreadable', { line: 0 }],
  [`name,controller,controller_site\n${'x,y,z\n'.repeat(101)}`, 'csv_too_long', { max: 100 }],
])('the whole file is rejected: %j', (text, code, details) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code, details: expect.objectContaining(details) }))
})

test('the allowed number of rows is accepted', () => {
  expect(parse(`name,controller,controller_site\n${'x,y,z\n\n'.repeat(100)}`).rows).toHaveLength(100)
})

test('a megabyte of empty or short rows is read at once', () => {
  const before = process.cpuUsage()
  const withRows = (row: string) => `name,controller,controller_site\n${row.repeat(2 ** 20 / row.length)}a,b,c`

  expect(parse(withRows('\n')).rows).toMatchObject([{ line: 2 ** 20 + 2, name: 'a' }])
  for (const row of [',\n', '""\n']) expect(() => parse(withRows(row))).toThrow('csv_too_long')

  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(10_000)
})

test('rows of nothing but separators do not count', () => {
  const text = `;;\nname;controller;controller_site\n${';;\n'.repeat(100)}a;b;c\n;\n`

  expect(parse(text, 100).rows).toMatchObject([{ line: 103, name: 'a' }])
})

test('a header of a megabyte is rejected at once', () => {
  const before = process.cpuUsage()

  expect(() => parse(`name,controller,controller_site,${'x,'.repeat(500_000)}`)).toThrow('csv_columns_unknown')
  expect(() => parse(`name,controller,controller_site,${'name,'.repeat(200_000)}adopt`)).toThrow('csv_columns_repeated')

  const { user, system } = process.cpuUsage(before) // by the clock, a busy machine needed 19 s
  expect((user + system) / 1_000).toBeLessThan(10_000)
})
