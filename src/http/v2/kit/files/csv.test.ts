import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { hostileNames } from '#test/hostile-names.ts'
import { toCsv } from './csv.ts'

const formula = /^[=+\-@\t\r|\uff1d\uff0b\uff0d\uff20]/

test('a table with a byte order mark, read back as it was', () => {
  const rows = [
    ['number', 'name'],
    [1, 'a "quoted", name'],
    [2, 'two\nlines; and a semicolon'],
    [3, null],
  ]
  for (const separator of [',', ';'] as const) {
    const text = toCsv(rows, separator)

    expect(text.startsWith('\ufeffnumber')).toBe(true)
    expect(parse(text, { bom: true, delimiter: separator })).toEqual(
      rows.map((row) => row.map((value) => String(value ?? ''))),
    )
  }
})

test.each([...hostileNames, '=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\u200b=1', '＝1+1', '|cmd'])(
  'no spreadsheet reads it as a formula: %o',
  (name) => {
    const [[shown]] = parse(toCsv([[name]], ','), { bom: true, relax_quotes: false }) as [[string]]

    expect(shown).not.toMatch(formula)
    expect(shown.replaceAll("'", '')).toBe(name.replaceAll("'", ''))
  },
)

test.each(['a;=1+1;b', 'a,=1+1,b', 'a; @SUM(A1)', 'a,\u200b+1', '"";=1+1', 'a;"=1+1;b', 'a, "" +1,b'])(
  'a spreadsheet with another separator finds no formula: %o',
  (name) => {
    for (const separator of [',', ';'] as const)
      for (const cell of toCsv([[1, name]], separator).split(/[,;]/))
        expect(cell.replace(/^[\s"]+/, '')).not.toMatch(formula)
  },
)

test.each(['a\n=1+1', 'a\r\n@SUM(A1)', 'a\r+1'])(
  'a spreadsheet that ends a row at each line break finds no formula: %o',
  (name) => {
    for (const cell of toCsv([[1, name]], ',').split(/[,\r\n]/)) expect(cell.trim()).not.toMatch(formula)
  },
)

test('a number stays a number, even if it is negative', () => {
  expect(toCsv([[-1, 5]], ',')).toBe('\ufeff-1,5\r\n')
})
