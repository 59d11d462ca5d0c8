import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type GuestLanguage, guestLanguages } from '#slips/guest-languages.ts'
import { type SlipLine, slipLines } from '#slips/slip-lines.ts'
import { slipParts } from '#slips/slip-parts.ts'
import { wifiQrText } from '#slips/wifi-qr.ts'
import { png, pngWithPixels } from '#test/data/images.ts'
import { isLong } from '#test/measuring.ts'
import { readPaper } from '#test/paper.ts'
import { slipSite as site, slipVoucher as voucher } from '#test/sample-slip.ts'
import { drawSlips, type SlipJob } from './draw-slips.ts'
import { type PaperName, papers } from './papers.ts'

const { guestInfo } = site
const paperNames = Object.keys(papers) as PaperName[]

/** A hyphen at the end of a line is read as U+FFFE. */
const withoutSpaces = (text: string) => text.replaceAll('\ufffe', '-').replaceAll(/\s/g, '')

/** Every text of the parts, as a page must show it. */
function textsOf({ slips }: Pick<SlipJob, 'slips'>): string[] {
  return slips.flat().flatMap((part) => {
    if (part.kind === 'heading') return part.texts.map(({ text }) => text)
    if (part.kind === 'step') return part.actions.map(({ text }) => text)
    if (part.kind === 'validity') return part.facts.flatMap(({ facts }) => facts)
    return part.kind === 'wifi_qr' || part.kind === 'logo' ? [] : [part.text]
  })
}

async function print(job: Partial<SlipJob> & Pick<SlipJob, 'slips' | 'paper'>, name: string) {
  return readPaper(await drawSlips({ logo: null, ...job }), name)
}

/** One for each paper. `guest-languages.test.ts` draws all of them. */
const some = guestLanguages.filter((language) => ['de', 'en', 'fr', 'hu', 'el', 'uk'].includes(language))
const pairs = some.map((language): GuestLanguage[] => (language === 'de' ? ['de'] : [language, 'de']))

describe.each(paperNames)('on %s', (paper) => {
  const tried = pairs.filter((_, index) => isLong || index % paperNames.length === paperNames.indexOf(paper))
  test.each(tried)(
    'every text is there, the QR code is read, and nothing leaves the page, in %s',
    async (...languages) => {
      const job = { slips: [slipParts(voucher, site, languages)], paper }
      const [page] = await print(job, `${paper} ${languages}`)

      for (const text of textsOf(job)) expect(withoutSpaces(page?.text ?? '')).toContain(withoutSpaces(text))
      expect(page?.qrCodes.map(({ text }) => text)).toEqual([wifiQrText(guestInfo)])
      expect(page?.qrCodes[0]?.sizeMm).toBeGreaterThan(20)
      expect(page?.inkMm).toBeGreaterThan(3)
      expect(page?.widthMm).toBe(papers[paper].width)
    },
  )

  test('the longest name wraps and is never cut', async () => {
    const name = 'Wolfeschlegelsteinhausenbergerdorff Maximiliane '.repeat(5).slice(0, 200)
    const job = { slips: [slipParts({ ...voucher, name }, site, ['de', 'en'])], paper }
    const [page, ...others] = await print(job, `${paper} long`)

    expect(others).toEqual([])
    expect(withoutSpaces(page?.text ?? '')).toContain(withoutSpaces(name))
    expect(page?.inkMm).toBeGreaterThan(3)
  })
})

/** Lines in another order, and with some of them switched off. */
const chosenLines: SlipLine[][] = [
  ['code', 'validity', 'name', 'wifi_name', 'wifi_qr', 'wifi_password', 'heading', 'logo', 'house', 'footer'],
  ['footer', 'name', 'wifi_qr', 'house', 'wifi_password', 'code', 'wifi_name', 'validity'],
  ['wifi_name', 'wifi_password', 'code', 'validity'],
  ['house', 'wifi_qr', 'code', 'name'],
  ['code'],
]

describe.each(paperNames)('with chosen lines on %s', (paper) => {
  const tried = pairs.filter((_, index) => isLong || index % paperNames.length === paperNames.indexOf(paper))
  const cases = chosenLines.flatMap((lines) => tried.map((languages) => ({ lines, languages })))
  test.each(cases)('$lines are there in their order, in $languages', async ({ lines, languages }) => {
    const chosen = { ...site, guestInfo: { ...guestInfo, slip_lines: lines } }
    const job = { slips: [slipParts(voucher, chosen, languages)], paper }
    const [page, ...others] = await print({ ...job, logo: png }, `${paper} ${languages} ${lines.join('-')}`)
    const text = withoutSpaces(page?.text ?? '')

    expect(others).toEqual([])
    for (const expected of textsOf(job)) expect(text).toContain(withoutSpaces(expected))
    const off = slipLines.filter((line) => !lines.includes(line))
    const all = textsOf({
      slips: [slipParts(voucher, site, languages).filter(({ kind }) => off.includes(kind as never))],
    })
    for (const unwanted of all) expect(text).not.toContain(withoutSpaces(unwanted))
    expect(page?.qrCodes.length).toBe(lines.includes('wifi_qr') ? 1 : 0)
    expect(page?.inkMm).toBeGreaterThan(3)
    const ordered = textsOf({ slips: [slipParts(voucher, chosen, languages)] })
    if (paper !== 'a4-cards')
      expect(ordered.map((part) => text.indexOf(withoutSpaces(part))).toSorted((a, b) => a - b)).toEqual(
        ordered.map((part) => text.indexOf(withoutSpaces(part))),
      )
  })
})

test('texts can be copied from the second PDF of a process too, also letters that are parts of other letters', async () => {
  const job = (language: GuestLanguage) => ({ slips: [slipParts(voucher, site, [language])], paper: 'a4' as const })
  await drawSlips({ ...job('cs'), logo: null }) // í consists of ı, which is a letter in Turkish, and an accent
  const [page] = await print(job('tr'), 'second')

  for (const text of textsOf(job('tr'))) expect(withoutSpaces(page?.text ?? '')).toContain(withoutSpaces(text))
})

test('a sheet has ten cards', async () => {
  const slips = Array.from({ length: 12 }, (_, index) =>
    slipParts({ ...voucher, formatted_code: `10000-${10_000 + index}` }, site, ['de']),
  )
  const pages = await print({ slips, paper: 'a4-cards' }, 'cards')

  expect(pages.map(({ text }) => text.match(/10000-\d{5}/g)?.length)).toEqual([10, 2])
  expect(pages.map(({ qrCodes }) => qrCodes.length)).toEqual([10, 2])
})

test('a card with much text stays in its place', async () => {
  const name = 'Wolfeschlegelsteinhausenbergerdorff Maximiliane '.repeat(5).slice(0, 200)
  const slip = slipParts({ ...voucher, name }, site, ['de', 'en'])
  const [page] = await print({ slips: Array(10).fill(slip), paper: 'a4-cards' }, 'full cards')

  expect(page?.inkMm).toBeGreaterThan(5) // the cut lines are 6 mm from the edges
})

test('an endless paper is as long as its slip', async () => {
  const [short] = await print({ slips: [slipParts(voucher, site, ['de'])], paper: '80mm' }, 'short')
  const bare = { ...site, guestInfo: { ...guestInfo, wifi_name: null, footer: null } }
  const [bareSlip] = await print({ slips: [slipParts(voucher, bare, ['de'])], paper: '80mm' }, 'bare')

  expect(short?.heightMm).toBeGreaterThan((bareSlip?.heightMm ?? 0) + 40)
  expect(bareSlip?.qrCodes).toEqual([])
})

test('a letter that the font lacks becomes a question mark, and a logo that cannot be read is left out', async () => {
  const slips = [slipParts({ ...voucher, name: 'Gast 王 😀 Ω Ж' }, site, ['de'])]
  const [page] = await print({ slips, paper: '80mm', logo: Buffer.from('no picture') }, 'letters')

  expect(page?.text).toContain('Gast ? ? Ω Ж')
})

test('a slip for somebody who may not see the password has no QR code, which would join without it', async () => {
  const hidden = { ...site, guestInfo: { ...guestInfo, wifi_password: null } }
  const [page] = await print({ slips: [slipParts(voucher, hidden, ['en'])], paper: 'a5' }, 'hidden')

  expect(page?.qrCodes).toEqual([])
  expect(page?.text).toContain(guestInfo.wifi_name)
  expect(page?.text).not.toContain('Password')
})

// pdfkit unpacks the pixels of a logo with transparency, in a callback that nobody can catch.
test.each([
  ['are no compressed data', Buffer.from('garbage')],
  ['end too early', deflateSync(Buffer.alloc(200)).subarray(0, 8)],
  ['are missing', Buffer.alloc(0)],
  ['are many more than its header says', deflateSync(Buffer.alloc(1_000_000))],
  ['have a row with an unknown filter', deflateSync(Buffer.alloc(145).fill(9, 29, 30))],
])('a logo whose pixels %s is left out', async (_, pixels) => {
  const job: SlipJob = { slips: [slipParts(voucher, site, ['de'])], paper: '80mm', logo: null }

  const [withoutLogo, withThis] = [await drawSlips(job), await drawSlips({ ...job, logo: pngWithPixels(pixels) })]

  expect(withThis.length).toBe(withoutLogo.length)
})
