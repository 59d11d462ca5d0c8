import { describe, expect, test } from 'vitest'
import { chooseKind, guessColumns } from './guest-columns.ts'
import { findDoubles } from './guest-rows.ts'
import { countEmails, isWrong, readGuestTable, textOfWrongRows, toRows } from './guest-table.ts'
import { readTable } from './read-table.ts'

const calendar = { now: new Date('2026-11-18T10:30:00Z'), timeZone: 'Europe/Berlin', canEmail: true }
const facts = { site_id: 1, time_zone: 'Europe/Berlin', room_days: 0 }
const read = (text: string, columns?: Parameters<typeof readGuestTable>[2]) => {
  const table = readGuestTable(text, calendar, columns)
  if (!table) throw new Error('not a table')
  return table
}
const kindsOf = (text: string) => read(text).columns.map(({ kind }) => kind)
const errorsOf = (text: string) => read(text).rows.map(({ errors }) => [...errors.values()].map(({ kind }) => kind))

describe('columns', () => {
  test.each([
    ['Name;Zimmer;bis;Geräte;E-Mail', ['name', 'room', 'until', 'devices', 'email']],
    ['Name;Room;Valid until;Devices;E-mail', ['name', 'room', 'until', 'devices', 'email']],
    ['GAST;Zimmer-Nr.;Abreise;Dauer;Notiz', ['name', 'room', 'until', 'duration', 'ignore']],
    ['Guest name;Booking;Check-out;Days', ['name', 'reference', 'until', 'duration']],
    ['Zimmer;Name:;Bis:', ['room', 'name', 'until']],
    ['Zimmer;Referenz;Name', ['room', 'ignore', 'name']],
    ['Name;Name;Zimmer', ['name', 'ignore', 'room']],
    ['Bezeichnung;Zimmer', ['ignore', 'room']],
  ])('the header %s names them', (header, kinds) => {
    expect(kindsOf(`${header}\nHuber;204;20.11.;2;x@y.example\nKern;205;;;`).slice(0, kinds.length)).toEqual(kinds)
  })

  test.each([
    ['Huber;204;20.11.;2\nKern;205;21.11.;4', ['name', 'room', 'until', 'devices']],
    ['204\tHuber\t3 days\n205\tKern\t8 h', ['room', 'name', 'duration']],
    ['Zimmer 204\tHuber\nZimmer 205\tKern', ['room', 'name']],
    ['Huber;a@b.example\nKern;c@d.example', ['name', 'email']],
    ['Huber;12a;31.11.\nKern;A12;31.11.', ['name', 'room', 'until']],
    ['Huber;Anna\nKern;Ole', ['name', 'ignore']],
  ])('without a header, the cells of %s show them', (text, kinds) => {
    const table = read(text)

    expect([table.header, table.columns.map(({ kind }) => kind), table.rows.length]).toEqual([undefined, kinds, 2])
  })

  test('a column that somebody chose stays chosen, and another column of the kind is ignored', () => {
    const text = 'Huber;Anna;204\nKern;Ole;205'
    const chosen = chooseKind(read(text).columns, 1, 'name')
    const withReference = chooseKind(chosen, 0, 'reference')

    expect(chosen.map(({ kind }) => kind)).toEqual(['ignore', 'name', 'room'])
    expect(withReference.map(({ kind }) => kind)).toEqual(['reference', 'name', 'ignore'])
    expect(toRows(read(text, withReference), facts, 'de')).toEqual([
      { name: 'Anna', reference: 'Huber' },
      { name: 'Ole', reference: 'Kern' },
    ])
  })

  test('without a column of names, every row is wrong', () => {
    expect(errorsOf('Zimmer;bis\n204;20.11.\n205;21.11.')).toEqual([['name-missing'], ['name-missing']])
  })

  test('an empty table has no columns', () => {
    expect(guessColumns([])).toEqual({ columns: [], hasHeader: false })
  })
})

describe('addresses', () => {
  const text = 'Name;E-Mail\nHuber;huber@web.example\nBrandt;\nMoretti;moretti@gmail\nKern;Kern <kern@web.example>'

  test('guests with an address get an e-mail in the chosen language, and a wrong address makes its row wrong', () => {
    expect(errorsOf(text)).toEqual([[], [], ['email-no-dot'], []])
    expect(countEmails(read(text))).toBe(2)
    expect(toRows(read(text), facts, 'it')).toEqual([
      { name: 'Huber', message: { email: 'huber@web.example', language: 'it' } },
      { name: 'Brandt' },
      { name: 'Kern', message: { email: 'kern@web.example', language: 'it' } },
    ])
  })

  test('where the site cannot send e-mail, the column is ignored, even if it was chosen before, and the page can say so', () => {
    const table = readGuestTable(text, { ...calendar, canEmail: false }, [{ kind: 'name' }, { kind: 'email' }])

    expect(table?.columns.map(({ kind }) => kind)).toEqual(['name', 'ignore'])
    expect(table?.rows.filter(isWrong)).toEqual([])
    expect(table && toRows(table, facts, 'de')[0]).toEqual({ name: 'Huber' })
    expect(table?.hasIgnoredEmails).toBe(true)
    const withoutAddresses = [{ kind: 'name' }, { kind: 'ignore' }] as const
    const ignored = readGuestTable(text, { ...calendar, canEmail: false }, [...withoutAddresses])
    expect(ignored?.hasIgnoredEmails).toBe(false) // the person chose it
  })

  test('the eleventh row with the same address is wrong', () => {
    const rows = Array.from({ length: 12 }, (_, i) => `Zimmer ${i};${i % 2 ? 'Leitung' : 'leitung'}@web.example`)

    expect(errorsOf(['Name;E-Mail', ...rows].join('\n')).slice(9)).toEqual([[], ['email-often'], ['email-often']])
  })
})

describe('commas', () => {
  test.each([
    'Huber, Anna\nKern, Ole',
    'Huber, Anna\nKern, Ole, Dr.\nMaier',
    '"Huber, Anna"\n"Kern, Ole"',
    'Müller, Meier & Co.\nKern, Söhne',
    'Familie Huber, Wien\nFamilie Kern, Graz',
  ])('%s is a plain list', (text) => {
    expect(readGuestTable(text, calendar)).toBeNull()
  })

  test.each(['Huber,204\nKern,205', 'Name,Room\nHuber,204', '"Huber, Anna",20.11.\n"Kern, Ole",21.11.'])(
    '%s is a table',
    (text) => {
      expect(readGuestTable(text, calendar)).not.toBeNull()
    },
  )
})

describe('rows', () => {
  test('each guest has the values of the cells; empty cells and dashes are left out', () => {
    const table = read('Name;Zimmer;bis;Geräte;Dauer\nHuber;204;20.11.;4;\nBrandt;;–;;3 Tage\nKern;-;;beliebig;')

    expect(toRows(table, facts, 'de')).toEqual([
      { name: 'Huber', reference: '204', max_uses: 4, valid_until: '2026-11-20T10:00:00.000Z' },
      { name: 'Brandt', expire_minutes: 4_320 },
      { name: 'Kern', max_uses: 0 },
    ])
  })

  test('an end has room to be extended, if the site gives room', () => {
    expect(toRows(read('Name;bis\nHuber;20.11.'), { ...facts, room_days: 7 }, 'de')).toEqual([
      { name: 'Huber', valid_until: '2026-11-20T10:00:00.000Z', extendable_until: '2026-11-27T10:00:00.000Z' },
    ])
  })

  test('the end is that of the site, also after the clocks change', () => {
    expect(
      toRows(read('Name;bis\nHuber;27.3.2027\nKern;28.3.2027'), facts, 'de').map((row) => row.valid_until),
    ).toEqual(['2027-03-27T10:00:00.000Z', '2027-03-28T09:00:00.000Z'])
  })

  test('a header of days gives bare numbers their unit', () => {
    expect(toRows(read('Name;Tage\nHuber;3\nKern;1'), facts, 'de').map((row) => row.expire_minutes)).toEqual([
      4_320, 1_440,
    ])
  })

  test('wrong cells are named, and their rows are not sent', () => {
    const text = `Name;Zimmer;bis;Geräte;Dauer
Huber;204;31.11.;viele;
;205;20.11.;2;
${'x'.repeat(245)};206;;;
Kern;${'9'.repeat(256)};;;
Maier;207;20.11.;2;0
\u200b\u200b;208;;;
Ok;209;;99999;2 Jahre
Gut;210;;;`

    expect(errorsOf(text)).toEqual([
      ['days', 'devices'],
      ['name-missing'],
      ['name-too-long'],
      ['reference-too-long'],
      ['duration'],
      ['name-invisible'],
      ['devices', 'duration'],
      [],
    ])
    expect(toRows(read(text), facts, 'de').map(({ name }) => name)).toEqual(['Gut'])
  })

  test('the wrong rows stay, with the header and their own text', () => {
    const text = '\ufeffName;bis\r\n"Huber; A";31.11.\r\nKern;20.11.\r\nMaier;x'
    const left = textOfWrongRows(text, read(text))

    expect(left).toBe('Name;bis\n"Huber; A";31.11.\nMaier;x')
    expect(read(left).rows.map((row) => [row.name, isWrong(row)])).toEqual([
      ['Huber; A', true],
      ['Maier', true],
    ])
    expect(textOfWrongRows('Name;bis\nKern;20.11.', read('Name;bis\nKern;20.11.'))).toBe('')
  })

  test('the same name and room are doubles; the same name in another room is not', () => {
    const rows = read('Name;Zimmer\nHuber;204\nHuber;205\nHUBER ; 204\nKern;\nkern;').rows

    expect(findDoubles(rows)).toEqual([
      { first: 2, again: 4 },
      { first: 5, again: 6 },
    ])
  })

  test('1,000 rows are read, and every line keeps its number', () => {
    const text = `Name;Zimmer;bis\n${Array.from({ length: 1_000 }, (_, i) => `Gast ${i};${i};${(i % 9) + 20}.11.`).join('\n')}`
    const { rows } = read(text)

    expect([rows.length, rows.at(-1)?.line.number, rows.filter(isWrong)]).toEqual([1_000, 1_001, []])
  })
})

test('a table keeps its separator', () => {
  expect(readTable('a\tb\nc\td', () => true)?.separator).toBe('\t')
})
