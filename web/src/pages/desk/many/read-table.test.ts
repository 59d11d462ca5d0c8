import { expect, test } from 'vitest'
import { readTable, replaceLine, writeLine } from './read-table.ts'

const read = (text: string) => readTable(text, () => true)
const cellsOf = (text: string) => read(text)?.lines.map(({ cells }) => cells)
const expected = [
  ['Name', 'Zimmer'],
  ['Huber', '204'],
]

test.each([
  ['tabs', 'Name\tZimmer\nHuber\t204'],
  ['semicolons', 'Name;Zimmer\nHuber;204'],
  ['commas', 'Name,Zimmer\nHuber,204'],
  ['CRLF', 'Name;Zimmer\r\nHuber;204\r\n'],
  ['CR', 'Name;Zimmer\rHuber;204\r'],
  ['a byte order mark', '\ufeffName;Zimmer\nHuber;204'],
  ['spaces around the cells', ' Name ; Zimmer\n  Huber;204  '],
  ['non-breaking spaces', '\u00a0Name;Zimmer\nHuber;204\u00a0'],
  ['quotes', '"Name";"Zimmer"\n"Huber";"204"'],
  ['empty lines', '\n\nName;Zimmer\n;\n  \nHuber;204\n\n'],
])('reads a table with %s', (_, text) => {
  expect(cellsOf(text)).toEqual(expected)
})

test.each([
  ['one line', 'Huber;204'],
  ['one column', 'Huber\nMaier'],
  ['only one line with a separator', 'Huber;204\nMaier\nKern'],
  ['an empty text', ''],
  ['white space', ' \n \n'],
])('%s is not a table', (_, text) => {
  expect(read(text)).toBeNull()
})

test('tabs come before semicolons, and semicolons before commas', () => {
  expect(cellsOf('Huber, A; B\t204\nKern, C; D\t205')).toEqual([
    ['Huber, A; B', '204'],
    ['Kern, C; D', '205'],
  ])
  expect(cellsOf('Huber, A;204\nKern, C;205')).toEqual([
    ['Huber, A', '204'],
    ['Kern, C', '205'],
  ])
})

test('commas separate cells only if the lines look like a table', () => {
  expect(readTable('Huber, Anna\nKern, Ole', () => false)).toBeNull()
  expect(readTable('Huber;Anna\nKern;Ole', () => false)).not.toBeNull()
})

test('a quoted cell may contain separators, quotes and line breaks', () => {
  expect(cellsOf('"Huber; ""Max"""\t204\n"Kern\r\nund Sohn"\t205')).toEqual([
    ['Huber; "Max"', '204'],
    ['Kern und Sohn', '205'],
  ])
})

test.each([
  ['is never closed', '"Huber;204\nKern;205', ['"Huber', '204']],
  ['is inside a cell', 'Huber "Max";204\nKern;205', ['Huber "Max"', '204']],
  ['ends before the cell does', '"Max" Huber;204\nKern;205', ['"Max" Huber', '204']],
])('a quote that %s is an ordinary character', (_, text, first) => {
  expect(cellsOf(text)).toEqual([first, ['Kern', '205']])
})

test('a quote that is closed far away does not swallow the rows between', () => {
  const rows = Array.from({ length: 500 }, (_, i) => `Gast ${i};${i}`)

  expect(cellsOf(['"Boss;1', ...rows, 'Kern";2'].join('\n'))).toHaveLength(502)
})

test('lines have the numbers that an editor shows, also after a cell with a line break', () => {
  const table = read('Name;Zimmer\n\n"Huber\nund Kern";204\nMaier;205')

  expect(table?.lines.map(({ number }) => number)).toEqual([1, 3, 5])
})

test('control characters become spaces, and characters that turn text around are removed', () => {
  expect(cellsOf('Hu\u0000ber\u202e;2\u000704\nKern\u2066;\u2028205')).toEqual([
    ['Hu ber', '2 04'],
    ['Kern', '205'],
  ])
})

test.each(['<img src=x onerror=alert(1)>', '=HYPERLINK("http://x")', '{{name}}', '$(id)', '__proto__'])(
  'the hostile text %s stays a text',
  (name) => {
    expect(cellsOf(`${writeLine([name, '1'], ';')}\nKern;2`)?.[0]).toEqual([name, '1'])
  },
)

test('a large text of separators and quotes has as many lines as an editor shows', () => {
  const text = `${'";'.repeat(50_000)}\n${'"'.repeat(50_000)}\nKern;2`
  const small = `${'";'.repeat(500)}\n${'"'.repeat(500)}\nKern;2`

  expect(read(small)?.lines).toHaveLength(3)
  expect(read(text)?.lines).toHaveLength(3)
})

test('a changed cell changes only its line, and reads back as it was written', () => {
  const text = 'Name;Zimmer\r\n\r\nHuber;204\r\nKern;205'
  const line = read(text)?.lines[1]
  const changed = replaceLine(text, line as NonNullable<typeof line>, ['Huber; "Max"', '204'], ';')

  expect(changed).toBe('Name;Zimmer\r\n\r\n"Huber; ""Max""";204\r\nKern;205')
  expect(cellsOf(changed)?.[1]).toEqual(['Huber; "Max"', '204'])
})
