import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedReadableVouchers } from '#test/data/seed-readable-vouchers.ts'
import { onFileEnd } from '#test/on-file-end.ts'

const app = await startApp({ TZ: 'Europe/Berlin' })
const { key } = await seedReadableVouchers(app.db)
const folder = await mkdtemp(`${tmpdir()}/spreadsheet-`)
onFileEnd(() => rm(folder, { recursive: true }))

/** The numbers that LibreOffice has for languages: German (Germany), English (USA), English (UK). */
const locales = { 'de-DE': 1031, 'en-US': 1033, 'en-GB': 2057 }

/**
 * Opens a CSV file as LibreOffice does in this locale, and returns its cells. A number is a number, a date is a text such as
 * `date 2026-07-04T23:30:00`, and any other text is itself.
 */
async function openInLibreOffice(name: string, file: Buffer, locale: keyof typeof locales, separator: string) {
  await writeFile(`${folder}/${name}.csv`, file)
  const utf8 = 76
  const options = [separator.charCodeAt(0), '"'.charCodeAt(0), utf8, 1, '', locales[locale], false, true].join(',')
  const program = spawn(
    'soffice',
    [
      `-env:UserInstallation=file://${folder}/profile`,
      '--headless',
      `--infilter=CSV:${options}`,
      '--convert-to',
      'fods',
      '--outdir',
      folder,
      `${folder}/${name}.csv`,
    ],
    { stdio: 'ignore' },
  )
  const [code] = await once(program, 'exit').catch(() => {
    throw new Error(
      'LibreOffice is missing. Install it with: apt-get install -y --no-install-recommends libreoffice-calc',
    )
  })
  expect(code).toBe(0)
  return readCells(await readFile(`${folder}/${name}.fods`, 'utf8'))
}

/** The cells of a flat OpenDocument file. A repeated empty cell is written once, with a count. */
function readCells(xml: string): (string | number | null)[][] {
  const rows = [...xml.matchAll(/<table:table-row[^>]*?(?<!\/)>(.*?)<\/table:table-row>/gs)]
  return rows.map(([, row = '']) =>
    [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, attributes = '', content = '']) => {
        const value = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1]
        const times = Number(value('table:number-columns-repeated') ?? 1)
        return Array.from({ length: Math.min(times, 20) }, () => cellOf(value, content))
      },
    ),
  )
}

function cellOf(value: (name: string) => string | undefined, content: string): string | number | null {
  const type = value('office:value-type')
  if (value('table:formula')) return `formula ${value('table:formula')}`
  if (type === 'float') return Number(value('office:value'))
  if (type === 'date') return `date ${value('office:date-value')}`
  const text = content
    .replace(/<[^>]*>/g, '')
    .replace('&apos;', "'")
    .trim()
  return text === '' ? null : text
}

async function download(language: 'de' | 'en'): Promise<Buffer> {
  const url = `${app.url}/api/v2/vouchers.csv?format=spreadsheet&language=${language}`
  return Buffer.from(await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).arrayBuffer())
}

test.each([
  ['de', 'de-DE', ';', ['Abgelaufen', 'Gültig'], 'unbegrenzt', 'Auf dem Controller'],
  ['en', 'en-US', ',', ['Expired', 'Valid'], 'no limit', 'On the controller'],
  ['en', 'en-GB', ',', ['Expired', 'Valid'], 'no limit', 'On the controller'],
] as const)(
  'LibreOffice reads names, dates and numbers of a file in %s with the locale %s',
  async (language, locale, separator, [expired, valid], noLimit, onController) => {
    const [headers, baer, tokyo] = await openInLibreOffice(locale, await download(language), locale, separator)

    expect(headers?.[0]).toBe(language === 'de' ? 'Standort' : 'Site') // the byte order mark is not part of it
    expect(baer?.slice(0, 17)).toEqual([
      ...['Gasthof Bär, Köln', 'Jürgen Weiß; Zimmer 7', '08614-09510', expired, 'date 2026-07-04T23:30:00'],
      ...['Rezeption Süd', 'date 2026-07-04T23:30:00', 'date 2026-07-05T14:58:00', null, 'Europe/Berlin'],
      ...[15.47, 2, 1, 2.5, 10, 2048, 'R-4711'],
    ])
    expect(tokyo?.slice(0, 16)).toEqual([
      ...['Tokyo', "'=1+1", '0861 4095', valid, 'date 2026-03-03T01:05:00', onController, null, null, null],
      ...['Asia/Tokyo', 24, noLimit, 0, noLimit, noLimit, noLimit],
    ])
  },
)
