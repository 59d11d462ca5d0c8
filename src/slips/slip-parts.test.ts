import { expect, test } from 'vitest'
import { slipSite, slipVoucher as voucher } from '#test/sample-slip.ts'
import { type SlipLine, slipLines } from './slip-lines.ts'
import { type SlipPart, type SlipSite, slipParts, slipSections, slipsOf } from './slip-parts.ts'

const site: SlipSite = {
  name: 'Goldener Adler',
  house: 'Adler Hotels',
  guestInfo: { ...slipSite.guestInfo, wifi_name: 'Adler-Gast', wifi_password: 'Sommer-am-See-26' },
}
const withLines = (lines: SlipLine[], changes: Partial<SlipSite['guestInfo']> = {}): SlipSite => ({
  ...site,
  guestInfo: { ...site.guestInfo, ...changes, slip_lines: lines },
})

/** The parts in short: a step with its number and the beginning of its sentences. */
const shortOf = (parts: SlipPart[]) =>
  parts.map((part) => {
    if (part.kind !== 'step') return part.kind
    return [part.number, ...[...part.actions, ...part.hints].map(({ text }) => text)].join(' ')
  })
const slip = (lines: SlipLine[], changes = {}) => shortOf(slipParts(voucher, withLines(lines, changes), ['en']))
const without = (...off: SlipLine[]) => slipLines.filter((line) => !off.includes(line))

const [join, enter] = ['Connect to the Wi-Fi', 'Enter this code']
const scan = 'Scan the QR code or choose the network:'

test('the usual lines, also for the answer of an older version, which has none', () => {
  const usual = [
    ...['logo', 'heading', 'house', `1 ${join} ${scan}`, 'wifi_name', 'wifi_password', 'wifi_qr'],
    ...[`2 ${enter}`, 'code', 'validity', 'name', 'footer'],
  ]
  expect(slip([...slipLines])).toEqual(usual)
  expect(shortOf(slipParts(voucher, site, ['en']))).toEqual(usual)
})

const steps: [string, SlipLine[], string[]][] = [
  ['without all Wi-Fi lines, the only step has no number', ['code'], [` ${enter}`, 'code']],
  [
    'without the name of the Wi-Fi, the QR code still joins it',
    ['wifi_qr', 'code'],
    [`1 ${join}`, 'wifi_qr', `2 ${enter}`, 'code'],
  ],
  [
    'without the QR code, nobody is told to scan it',
    ['wifi_name', 'code'],
    [`1 ${join}`, 'wifi_name', `2 ${enter}`, 'code'],
  ],
  [
    'the sentence that ends before the name is only there',
    ['wifi_qr', 'wifi_name', 'code'],
    [`1 ${join}`, 'wifi_qr', 'wifi_name', `2 ${enter}`, 'code'],
  ],
  [
    'a code above the Wi-Fi has no number, because a guest joins first',
    ['code', 'wifi_name'],
    [` ${enter}`, 'code', ` ${join}`, 'wifi_name'],
  ],
]
test.each(steps)('%s', (_, lines, expected) => expect(slip(lines)).toEqual(expected))

test('lines without a content are left out', () => {
  expect(slip([...slipLines], { wifi_name: null, footer: null })).toEqual([
    ...['logo', 'heading', 'house', ` ${enter}`, 'code', 'validity', 'name'],
  ])
  expect(slip([...slipLines], { wifi_password: null })).toEqual([
    ...['logo', 'heading', 'house', `1 ${join}`, 'wifi_name', `2 ${enter}`, 'code', 'validity', 'name', 'footer'],
  ])
  expect(slip(without('logo', 'heading', 'house', 'wifi_name', 'wifi_password', 'wifi_qr', 'validity'))).toEqual([
    ...[` ${enter}`, 'code', 'name', 'footer'],
  ])
})

test('a slip has a head above the steps and a foot below them', () => {
  const sections = slipSections(
    slipParts(voucher, withLines(['name', 'wifi_name', 'house', 'code', 'logo', 'validity']), ['en']),
  )
  expect([sections.head, sections.body, sections.foot].map((parts) => parts.map(({ kind }) => kind))).toEqual([
    ['name'],
    ['step', 'wifi_name', 'house', 'step', 'code'],
    ['logo', 'validity'],
  ])
})

test('a voucher has one slip in all languages, or one for each', () => {
  const headings = (perLanguage: boolean) =>
    slipsOf(voucher, withLines([...slipLines], { slip_per_language: perLanguage }), ['de', 'en', 'nl']).map((parts) =>
      parts.flatMap((part) => (part.kind === 'heading' ? part.texts.map(({ text }) => text) : [])),
    )
  expect(headings(false)).toEqual([['WLAN-Zugang', 'Wi-Fi access', 'Wifi-toegang']])
  expect(headings(true)).toEqual([['WLAN-Zugang'], ['Wi-Fi access'], ['Wifi-toegang']])
})
