import { expect, test } from 'vitest'
import { type GuestLanguage, guestLanguages } from './guest-languages.ts'
import { formatDevices, formatDuration, slipFacts } from './slip-facts.ts'
import { slipTexts } from './slip-texts.ts'

const voucher = {
  id: '1-a',
  formatted_code: '48273-91056',
  name: 'Zimmer 101',
  max_uses: 2,
  expire_minutes: 1440,
  created_at: '2026-11-15T10:00:00.000Z',
  valid_until: null as string | null,
}
const facts = (language: Parameters<typeof slipFacts>[1], changes: Partial<typeof voucher> = {}) =>
  slipFacts({ ...voucher, ...changes }, language, 'Europe/Vienna').map((fact) => fact.replaceAll(/\s/g, ' '))

test.each([
  ['de', '1 Tag ab der ersten Anmeldung', '2 Geräte'],
  ['en', '1 day from first sign-in', '2 devices'],
  ['fr', '1 jour à partir de la première connexion', '2 appareils'],
  ['it', '1 giorno dal primo accesso', '2 dispositivi'],
  ['nl', '1 dag vanaf de eerste aanmelding', '2 apparaten'],
  ['es', '1 día desde la primera conexión', '2 dispositivos'],
  ['pl', '1 dzień od pierwszego logowania', '2 urządzenia'],
  ['cs', '1 den od prvního přihlášení', '2 zařízení'],
  ['pt', '1 dia a partir do primeiro acesso', '2 dispositivos'],
  ['da', '1 dag fra første login', '2 enheder'],
  ['sv', '1 dygn från första inloggningen', '2 enheter'],
  ['nb', '1 døgn fra første pålogging', '2 enheter'],
  ['fi', '1 päivä ensimmäisestä kirjautumisesta', '2 laitetta'],
  ['hu', '1 nap az első belépéstől számítva', '2 eszköz'],
  ['ro', '1 zi de la prima conectare', '2 dispozitive'],
  ['hr', '1 dan od prve prijave', '2 uređaja'],
  ['tr', '1 gün (ilk girişten itibaren)', '2 cihaz'],
  ['el', '1 ημέρα από την πρώτη σύνδεση', '2 συσκευές'],
  ['uk', '1 день від першого входу', '2 пристрої'],
  ['ru', '1 день с момента первого входа', '2 устройства'],
] as const)('a voucher that nobody has used has a duration and no end, in %s', (language, ...expected) => {
  expect(facts(language)).toEqual(expected)
})

test.each([
  ['de', 'Gültig bis 17. November 2026 um 11:00'],
  ['en', 'Valid until 17 November 2026 at 11:00'],
  ['fr', 'Valable jusqu’au 17 novembre 2026 à 11:00'],
  ['it', 'Scadenza: 17 novembre 2026 alle ore 11:00'],
  ['nl', 'Geldig tot 17 november 2026 om 11:00'],
  ['es', 'Válido hasta el 17 de noviembre de 2026 a las 11:00'],
  ['pl', 'Ważny do 17 listopada 2026 11:00'],
  ['cs', 'Platí do 17. listopadu 2026 v 11:00'],
  ['pt', 'Válido até 17 de novembro de 2026 às 11:00'],
  ['da', 'Gyldig til 17. november 2026 kl. 11.00'],
  ['sv', 'Gäller till 17 november 2026 kl. 11:00'],
  ['nb', 'Gyldig til 17. november 2026 kl. 11:00'],
  ['fi', 'Voimassaolo päättyy 17. marraskuuta 2026 klo 11.00'],
  ['hu', 'Lejárat: 2026. november 17. 11:00'],
  ['ro', 'Valabil până la 17 noiembrie 2026 la 11:00'],
  ['hr', 'Vrijedi do 17. studenoga 2026. u 11:00'],
  ['tr', 'Geçerlilik bitişi: 17 Kasım 2026 11:00'],
  ['el', 'Ισχύει έως 17 Νοεμβρίου 2026 στις 11:00'],
  ['uk', 'Дійсний до 17 листопада 2026 р. о 11:00'],
  ['ru', 'Действует до 17 ноября 2026 г. в 11:00'],
] as const)('valid_until is a time of the site, in %s', (language, end) => {
  const minutesUntilThen = 48 * 60 - 1
  expect(facts(language, { valid_until: '2026-11-17T10:00:00.000Z', expire_minutes: minutesUntilThen })[0]).toBe(end)
})

test('an hour is on one line with the word before it', () => {
  const [end] = slipFacts({ ...voucher, valid_until: '2026-11-17T10:00:00.000Z' }, 'uk', 'Europe/Vienna').slice(1)

  expect(end).toMatch(/ о\u00a011:00$/)
})

test('a duration that ends before valid_until is printed as well', () => {
  expect(facts('de', { valid_until: '2026-11-17T10:00:00.000Z', expire_minutes: 60 })).toEqual([
    '1 Stunde ab der ersten Anmeldung',
    'Gültig bis 17. November 2026 um 11:00',
    '2 Geräte',
  ])
})

test.each([
  [1, 'de', '1 Minute'],
  [30, 'pl', '30 minut'],
  [90, 'de', '1 Stunde und 30 Minuten'],
  [480, 'cs', '8 hodin'],
  [180, 'pl', '3 godziny'],
  [2 * 1440, 'cs', '2 dny'],
  [5 * 1440, 'cs', '5 dnů'],
  [7 * 1440, 'de', '1 Woche'],
  [14 * 1440, 'pl', '2 tygodnie'],
  [35 * 1440, 'pl', '5 tygodni'],
  [30 * 1440, 'fr', '30 jours'],
  [1440 + 120 + 1, 'en', '1 day, 2 hours and 1 minute'],
] as const)('%i minutes in %s are %s', (minutes, language, text) => {
  expect(formatDuration(minutes, language).replaceAll(/\s/g, ' ')).toBe(text)
})

test.each([
  [1, 'pl', '1 urządzenie'],
  [3, 'pl', '3 urządzenia'],
  [5, 'pl', '5 urządzeń'],
  [1, 'nl', '1 apparaat'],
  [0, 'de', 'beliebig viele Geräte'],
  [0, 'fr', 'nombre d’appareils illimité'],
] as const)('%i devices in %s are %s', (count, language, text) => {
  expect(formatDevices(count, language).replaceAll(/\s/g, ' ')).toBe(text)
})

/** The words after 1, 2, 3, 5, 11, 21, 22, 25 and 101 devices, and after as many days. Instead of 21 days, which are 3 weeks, there are 31. */
const counts = [1, 2, 3, 5, 11, 21, 22, 25, 101]
const plurals: Partial<Record<GuestLanguage, { devices: string[]; days: string[] }>> = {
  pl: {
    devices: 'urządzenie urządzenia urządzenia urządzeń urządzeń urządzeń urządzenia urządzeń urządzeń'.split(' '),
    days: 'dzień dni dni dni dni dni dni dni dni'.split(' '),
  },
  cs: {
    devices: Array(9).fill('zařízení'),
    days: 'den dny dny dnů dnů dnů dnů dnů dnů'.split(' '),
  },
  hr: {
    devices: 'uređaj uređaja uređaja uređaja uređaja uređaj uređaja uređaja uređaj'.split(' '),
    days: 'dan dana dana dana dana dan dana dana dan'.split(' '),
  },
  ro: {
    devices: [
      ...['dispozitiv', 'dispozitive', 'dispozitive', 'dispozitive', 'dispozitive'],
      ...['de dispozitive', 'de dispozitive', 'de dispozitive', 'dispozitive'],
    ],
    days: ['zi', 'zile', 'zile', 'zile', 'zile', 'de zile', 'de zile', 'de zile', 'zile'],
  },
  uk: {
    devices: 'пристрій пристрої пристрої пристроїв пристроїв пристрій пристрої пристроїв пристрій'.split(' '),
    days: 'день дні дні днів днів день дні днів день'.split(' '),
  },
  ru: {
    devices: 'устройство устройства устройства устройств устройств устройство устройства устройств устройство'.split(
      ' ',
    ),
    days: 'день дня дня дней дней день дня дней день'.split(' '),
  },
}

test.each(Object.entries(plurals))(
  'devices and days in %s have the form that their number needs',
  (language, words) => {
    const plain = (text: string) => text.replaceAll(/\s/g, ' ')
    const devices = counts.map((count) => plain(formatDevices(count, language as GuestLanguage)))
    const days = counts
      .map((count) => (count === 21 ? 31 : count))
      .map((count) => plain(formatDuration(count * 1440, language as GuestLanguage)))

    expect(devices).toEqual(counts.map((count, index) => `${count} ${words.devices[index]}`))
    expect(days).toEqual(counts.map((count, index) => `${count === 21 ? 31 : count} ${words.days[index]}`))
  },
)

test('every language has a text for each of its plural forms', () => {
  expect(Object.keys(slipTexts)).toEqual(guestLanguages)
  for (const language of guestLanguages) {
    const { pluralCategories } = new Intl.PluralRules(slipTexts[language].locale).resolvedOptions()
    expect([language, Object.keys(slipTexts[language].devices).toSorted()]).toEqual([
      language,
      pluralCategories.toSorted(),
    ])
  }
})
