import { describe, expect, test } from 'vitest'
import { parseSiteRows } from './site-csv.ts'

const parse = (text: string, maxRows = 100) => parseSiteRows(text, maxRows)
const main = { name: 'Haus', controller: 'c1', controllerSite: 'main', active: true, adoptsVouchers: false }

describe('a file is read', () => {
  test.each([
    ['with commas and LF', 'name,controller,controller_site\nHaus,c1,main\n'],
    ['with semicolons and CRLF', 'name;controller;controller_site\r\nHaus;c1;main\r\n'],
    ['without a last line end', 'name,controller,controller_site\nHaus,c1,main'],
    ['with quotes and blanks', '"name","controller","controller_site"\n "Haus" , c1,"main "\n'],
    ['with capitals in the header', 'Name,Controller,Controller_Site\nHaus,c1,main\n'],
    ['with columns in another order', 'controller_site,name,controller\nmain,Haus,c1\n'],
  ])('%s', (_what, text) => {
    expect(parse(text)).toEqual({ rows: [{ line: 2, ...main }], refused: [] })
  })

  test('quoted fields may contain separators, quotes and umlauts', () => {
    const { rows } = parse('name;controller;controller_site\n"Haus; ""Süd"", 2";c1;main\n')

    expect(rows).toEqual([{ line: 2, ...main, name: 'Haus; "Süd", 2' }])
  })

  test.each(['\n', '\r\n', '\r'])(
    'each row has the line where it stands, rows without content are left out: %j',
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

test('a row that cannot be read is refused, the others are not', () => {
  const text =
    'name,controller,controller_site,active,adopt\na,c1,1,vielleicht,\nb,c1,2,,2\nc,c1\nd,c1,3,,,x\ne,c1,4,,\n'

  expect(parse(text)).toEqual({
    rows: [{ ...main, line: 6, name: 'e', controllerSite: '4' }],
    refused: [
      { line: 2, name: 'a', outcome: 'refused', reason: 'The column active must be yes or no, not "vielleicht".' },
      { line: 3, name: 'b', outcome: 'refused', reason: 'The column adopt must be yes or no, not "2".' },
      { line: 4, name: 'c', outcome: 'refused', reason: 'The row has 2 fields, but the first line has 5.' },
      { line: 5, name: 'd', outcome: 'refused', reason: 'The row has 6 fields, but the first line has 5.' },
    ],
  })
})

test.each([
  ['', 'The first line has no column "name", "controller", "controller_site".'],
  ['name,controller\nx,y', 'has no column "controller_site".'],
  ['name,controller,controller_site,colour,\u001b[2J\nx,y,z,,', 'has an unknown column "colour", "\ufffd[2j".'],
  ['name,controller,controller_site,name\nx,y,z,x', 'repeats column "name".'],
  [
    'name,controller,controller_site\nx,y,z\nx,"y,z\nx,y,z\n',
    'The file is not valid CSV after line 2: a quote is missing',
  ],
  ['name,controller,controller_site\nx,"y" y,z\n', 'The file is not valid CSV after line 1: a quote is missing'],
  ['"name', 'The file is not valid CSV after line 0: a quote is missing'],
  [`name,controller,controller_site\n${'x,y,z\n'.repeat(101)}`, 'The file has more than 100 rows.'],
])('the whole file is rejected: %j', (text, message) => {
  expect(() => parse(text)).toThrow(message)
})

test('the allowed number of rows is accepted', () => {
  expect(parse(`name,controller,controller_site\n${'x,y,z\n\n'.repeat(100)}`).rows).toHaveLength(100)
})
