import { describe, expect, test } from 'vitest'
import { type GuestLanguage, guestLanguages } from '#slips/guest-languages.ts'
import { formatDuration, slipFacts } from '#slips/slip-facts.ts'
import { slipParts } from '#slips/slip-parts.ts'
import { slipTexts } from '#slips/slip-texts.ts'
import { wifiQrText } from '#slips/wifi-qr.ts'
import { isLong } from '#test/measuring.ts'
import { readPaper } from '#test/paper.ts'
import { slipSite, slipVoucher } from '#test/sample-slip.ts'
import { drawSlips } from './draw-slips.ts'
import { type Font, printable } from './fonts.ts'
import { type PaperName, papers } from './papers.ts'

/** The slip of this voucher has every kind of fact, and each is as long as it can be. */
const voucher = {
  ...slipVoucher,
  name: 'Familie Wolkenstein-Trostburg, Suite 7',
  max_uses: 0,
  expire_minutes: 2 * 1440 + 90,
  valid_until: '2026-11-30T22:30:00.000Z',
}
const guestInfo = { ...slipSite.guestInfo, wifi_name: 'Gäste;"Ж", Seminarhaus am See 12' }
const site = { ...slipSite, guestInfo }
const paperNames = Object.keys(papers) as PaperName[]

/** Each language alone, with the next one, and with the next two, which is the most that a slip has. */
const combinations = guestLanguages.flatMap((_, index) =>
  [1, 2, 3].map((count) => [...guestLanguages, ...guestLanguages].slice(index, index + count)),
)

/** A hyphen at the end of a line is read as U+FFFE. */
const withoutSpaces = (text = '') => text.replaceAll('\ufffe', '-').replaceAll(/\s/g, '')

describe.each(paperNames)('on %s', (paper) => {
  const few = 10
  const tried = combinations.filter(
    (_, index) => isLong || index % (few * paperNames.length) === few * paperNames.indexOf(paper),
  )
  test.each(tried)('the slip is complete and inside the page, in %s %s %s', async (...languages) => {
    const pdf = await drawSlips({ slips: [slipParts(voucher, site, languages)], paper, logo: null })
    const [page, ...others] = await readPaper(pdf, `${paper} ${languages.join('-')}`)
    const expected = languages.flatMap((language) => {
      const { heading, join, scanOrPick, password, enterCode } = slipTexts[language]
      const hints = languages.length === 1 ? [scanOrPick] : [] // which are left out first when there is no room
      return [heading, join, ...hints, password, enterCode, ...slipFacts(voucher, language, guestInfo.time_zone)]
    })
    const all = [...expected, voucher.name, voucher.formatted_code, guestInfo.wifi_name, guestInfo.wifi_password]
    const shown = withoutSpaces(page?.text)

    expect(others).toEqual([])
    expect(all.filter((text) => !shown.includes(withoutSpaces(text)))).toEqual([])
    expect(page?.qrCodes.map(({ text }) => text)).toEqual([wifiQrText(guestInfo)])
    expect(page?.inkMm).toBeGreaterThan(3)
  })
})

/** All that a slip can say in a language, with durations and dates. */
function wordsOf(language: GuestLanguage): string[] {
  const { locale: _, devices, ...texts } = slipTexts[language]
  const minutes = [1, 2, 5].flatMap((count) => [count, count * 60, count * 1440, count * 7 * 1440])
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month, 15, 12)).toISOString())
  return [
    ...Object.values(texts),
    ...Object.values(devices),
    ...[...minutes, 1440 + 61].map((count) => formatDuration(count, language)),
    ...months.flatMap((month) => slipFacts({ ...voucher, valid_until: month }, language, guestInfo.time_zone)),
  ]
}

test.each(guestLanguages)('the fonts have every letter of the texts, durations and dates in %s', (language) => {
  const words = wordsOf(language)

  expect(words.length).toBeGreaterThan(40)
  for (const font of ['regular', 'bold'] satisfies Font[])
    expect(words.filter((text) => printable(text, font) !== text)).toEqual([])
})
