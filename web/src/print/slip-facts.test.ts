import { expect, test } from 'vitest'
import { formatDevices, formatDuration, slipFacts } from './slip-facts.ts'
import { guestLanguages, slipTexts } from './slip-texts.ts'

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
] as const)('valid_until is a time of the site, in %s', (language, end) => {
  const minutesUntilThen = 48 * 60 - 1
  expect(facts(language, { valid_until: '2026-11-17T10:00:00.000Z', expire_minutes: minutesUntilThen })[0]).toBe(end)
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

test('every language has a text for each of its plural forms', () => {
  for (const language of guestLanguages) {
    const { pluralCategories } = new Intl.PluralRules(slipTexts[language].locale).resolvedOptions()
    expect([language, Object.keys(slipTexts[language].devices).toSorted()]).toEqual([
      language,
      pluralCategories.toSorted(),
    ])
  }
})
