import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startApp } from '#test/app.ts'
import { seedReadableVouchers } from '#test/data/seed-readable-vouchers.ts'

const app = await startApp({ TZ: 'Europe/Berlin' })
const { key } = await seedReadableVouchers(app.db)

async function download(query: string, headers: Record<string, string> = {}): Promise<Buffer> {
  const url = `${app.url}/api/v2/vouchers.csv?format=spreadsheet&${query}`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}`, ...headers } })
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

const german = `\ufeffStandort;Name;Code;Status;Erstellt;Erstellt von;Zum ersten Mal benutzt;Endet;Widerrufen;Zeitzone;Gültig für (Stunden);Geräte;Geräte benutzt;Download (Mbit/s);Upload (Mbit/s);Datenmenge (MB);Referenz
Gasthof Bär, Köln;"Jürgen Weiß; Zimmer 7";08614-09510;Abgelaufen;04.07.2026 23:30;Rezeption Süd;04.07.2026 23:30;05.07.2026 14:58;;Europe/Berlin;15,47;2;1;2,5;10;2048;R-4711
Tokyo;'=1+1;0861 4095;Gültig;03.03.2026 01:05;Auf dem Controller;;;;Asia/Tokyo;24;unbegrenzt;0;unbegrenzt;unbegrenzt;unbegrenzt;
`
const english = `\ufeffSite,Name,Code,Status,Created,Created by,First used,Ends,Revoked,Time zone,Valid for (hours),Devices,Devices in use,Download (Mbit/s),Upload (Mbit/s),Data (MB),Reference
"Gasthof Bär, Köln",Jürgen Weiß; Zimmer 7,08614-09510,Expired,2026-07-04 23:30,Rezeption Süd,2026-07-04 23:30,2026-07-05 14:58,,Europe/Berlin,15.47,2,1,2.5,10,2048,R-4711
Tokyo,'=1+1,0861 4095,Valid,2026-03-03 01:05,On the controller,,,,Asia/Tokyo,24,no limit,0,no limit,no limit,no limit,
`
const bytes = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))

test.each([
  ['German', 'language=de', {}, german],
  ['English', 'language=en', {}, english],
  ['the language of the request', '', { 'accept-language': 'de-AT,de;q=0.9' }, german],
  ['the language in the address, not that of the request', 'language=en', { 'accept-language': 'de' }, english],
])('a table for people in %s, byte for byte', async (_, query, headers, expected) => {
  const file = await download(query, headers)

  expect(file.toString()).toBe(bytes(expected).toString())
  expect(file.equals(bytes(expected))).toBe(true)
})

test('a separator in the address is used in both languages', async () => {
  expect((await download('language=de&separator=,')).toString()).toContain('Standort,Name,Code')
  expect((await download('language=en&separator=;')).toString()).toContain('Site;Name;Code')
})

test('400: another format or language', async () => {
  for (const query of ['format=xlsx', 'format=spreadsheet&language=fr'])
    expect((await app.call(`/api/v2/vouchers.csv?${query}`, { key })).status).toBe(400)
})

test.each(['de', 'en'] as const)('the file has the words of the web app: %s', async (language) => {
  const read = (path: string) =>
    JSON.parse(readFileSync(new URL(`../../../../web/src/${path}`, import.meta.url), 'utf8'))
  const { desk } = read(`i18n/${language}.json`)
  const { vouchers } = read(`pages/vouchers/${language}.json`)
  const file = (await download(`language=${language}`)).toString()

  for (const word of [desk['status-expired'], desk['status-valid'], desk['no-limit'], vouchers['on-the-controller']])
    expect(file).toMatch(new RegExp(`[,;]${word}[,;]`))
  for (const name of ['column-name', 'column-code', 'column-status', 'column-created', 'column-ends', 'first-used'])
    expect(file.split('\r\n', 1)[0]?.split(/[,;]/)).toContain(vouchers[name])
})
