import { expect, test } from 'vitest'
import { readCsvFile } from './read-csv-file.ts'

const text = 'name;controller;controller_site\r\nGrüner Baum – Süd;c1;main\r\n'
const utf8 = (value: string) => new TextEncoder().encode(value)
const utf16 = (value: string) =>
  new Uint8Array([...value].flatMap((letter) => [letter.charCodeAt(0) & 0xff, letter.charCodeAt(0) >> 8]))
const windows = (value: string) =>
  new Uint8Array([...value].map((letter) => (letter === '–' ? 0x96 : letter.charCodeAt(0))))

test.each([
  ['UTF-8', utf8(text), false],
  ['UTF-8 with a byte order mark', utf8(`\ufeff${text}`), false],
  ['UTF-16, the Unicode text of Excel', utf16(`\ufeff${text}`), false],
  ['Windows-1252, the CSV of a German Excel', windows(text), true],
])('a file in %s keeps its letters', async (_what, bytes, isConverted) => {
  const read = await readCsvFile(new Blob([bytes]))

  expect({ ...read, csv: await read.csv.text() }).toEqual({ csv: text, isConverted })
  expect(read.csv.type).toBe('text/csv')
})

test('a workbook is no text and stays as it is', async () => {
  const workbook = new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x14, 0xfc, 0xe4])

  const { csv, isConverted } = await readCsvFile(new Blob([workbook]))

  expect(isConverted).toBe(false)
  expect(new Uint8Array(await csv.arrayBuffer())).toEqual(workbook)
})
