import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { expect, test, vi } from 'vitest'
import { guestLanguages } from '#slips/guest-languages.ts'
import { startApp } from '#test/app.ts'
import { startBrowser } from '#test/browser.ts'
import { size } from '#test/measuring.ts'
import { onFileEnd } from '#test/on-file-end.ts'
import { readPaper } from '#test/paper.ts'
import { findLayoutFaults } from './find-layout-faults.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const webFolder = mkdtempSync(join(tmpdir(), 'printing-'))
onFileEnd(() => rmSync(webFolder, { recursive: true }))

// The built app, and separately the module that prints: a test cannot import a module of the bundle.
await promisify(execFile)(process.execPath, [`${root}build/build-web.ts`])
cpSync(`${root}dist/web`, webFolder, { recursive: true })
vi.stubEnv('NODE_ENV', 'production')
await build({
  configFile: `${root}web/vite.config.ts`,
  logLevel: 'warn',
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    outDir: join(webFolder, 'assets'),
    emptyOutDir: false,
    copyPublicDir: false,
    lib: {
      entry: `${root}web/src/print/print-vouchers.tsx`,
      formats: ['es'],
      fileName: 'printing',
      cssFileName: 'printing',
    },
  },
})
vi.unstubAllEnvs()
const app = await startApp({}, { webFolder })
const browser = await startBrowser()

/** 32 bytes, the longest name that a Wi-Fi can have. */
const wifiName = 'Gäste; "Adler" & Söhne, 5:GHz \\'
const wifiPassword = 'a;b,c:d"e\\f g'
const wifiText = String.raw`WIFI:T:WPA;S:Gäste\; \"Adler\" & Söhne\, 5\:GHz \\;P:a\;b\,c\:d\"e\\f g;;`

const guestInfo = {
  site_id: 1,
  wifi_name: wifiName as string | null,
  wifi_password: wifiPassword as string | null,
  wifi_hidden: false,
  time_zone: 'Europe/Vienna',
  footer: null as string | null,
  logo_updated_at: null as string | null,
}
/** A logo that is wider than its place on a card. */
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="100"><path d="M0 100L75 0l75 60L225 0l75 100z"/></svg>`
const site = { id: 1, name: 'Hotel Goldener Adler' }

/** Vouchers for one day and two devices. */
function vouchers(count: number, changes = {}) {
  return Array.from({ length: count }, (_, index) => ({
    id: `1-${index}`,
    formatted_code: `${String(10_482 + 7919 * index).slice(0, 5)}-${String(91_056 - 4513 * index).padStart(5, '0')}`,
    name: `Zimmer ${101 + index}`,
    max_uses: 2,
    expire_minutes: 1440,
    created_at: '2026-11-15T10:00:00.000Z',
    valid_until: null as string | null,
    ...changes,
  }))
}

const page = await browser.newPage({ colorScheme: 'dark', locale: 'de-DE' })
const complaints: string[] = []
page.on('console', (message) => complaints.push(message.text()))
page.on('pageerror', (error) => complaints.push(error.message))
await page.route('**/api/v2/sites/1/logo', (route) => route.fulfill({ body: logo, contentType: 'image/svg+xml' }))
await page.addInitScript('window.print = () => { window.dialogs = (window.dialogs ?? 0) + 1 }')
await page.goto(`${app.url}/sign-in`)
await page.getByRole('heading').first().waitFor()
await page.addStyleTag({ url: '/assets/printing.css' })

/**
 * Prints from a page of the app in the dark theme, up to where the dialog of the browser would open. Returns faults of the
 * layout.
 */
async function print(changes: object): Promise<string[]> {
  const job = { paper: 'a4', languages: ['de'], vouchers: vouchers(1), site, guestInfo, ...changes }
  await page.evaluate(`window.dialogs = 0`)
  await page.evaluate(
    `import('/assets/printing.js').then(({ printVouchers }) => printVouchers(${JSON.stringify(job)}))`,
  )
  expect(await page.evaluate('window.dialogs')).toBe(1)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  return page.evaluate<string[]>(`(${findLayoutFaults})()`)
}

/** The printed page as a PDF. The browser sends `afterprint` after it. */
const readPrinter = async (name: string) => readPaper(await page.pdf({ preferCSSPageSize: true }), name)

test('11 vouchers are two sheets of A4, with QR codes of 22 mm for the Wi-Fi', async () => {
  const faults = await print({ vouchers: vouchers(11) })
  const pages = await readPrinter('a4')

  expect(faults).toEqual([])
  expect(pages.map(({ widthMm, heightMm }) => [widthMm, heightMm])).toEqual([
    [210, 297],
    [210, 297],
  ])
  expect(pages.map(({ qrCodes }) => qrCodes.length)).toEqual([10, 1])
  for (const { text, sizeMm } of pages.flatMap(({ qrCodes }) => qrCodes)) {
    expect(text).toBe(wifiText)
    expect(sizeMm).toBeCloseTo(22, 0)
  }
  for (const { formatted_code } of vouchers(11)) expect(pages.map(({ text }) => text).join()).toContain(formatted_code)
})

test('a print that begins at card 8 leaves the first cards of the first sheet empty', async () => {
  const faults = await print({ vouchers: vouchers(4), firstCard: 8 })
  const first = await page.locator('.vs-slip').first().boundingBox()
  const sheet = await page.locator('.vs-sheet').first().boundingBox()
  const pages = await readPrinter('a4 from card 8')

  expect(faults).toEqual([])
  expect(pages.map(({ qrCodes }) => qrCodes.length)).toEqual([3, 1])
  const pxPerMm = 96 / 25.4
  expect(
    [first?.x, first?.y].map((px, axis) =>
      Math.round(((px ?? 0) - (axis ? (sheet?.y ?? 0) : (sheet?.x ?? 0))) / pxPerMm),
    ),
  ).toEqual([105, 177])
})

test('5 vouchers on 80 mm are five pages, none of them blank, with QR codes of 28 mm', async () => {
  const faults = await print({ vouchers: vouchers(5), paper: '80mm' })
  const pages = await readPrinter('80mm')

  expect(faults).toEqual([])
  expect(pages.map(({ qrCodes, widthMm }) => [widthMm, qrCodes.map(({ text }) => text)])).toEqual(
    Array.from({ length: 5 }, () => [80, [wifiText]]),
  )
  expect(pages[0]?.qrCodes[0]?.sizeMm).toBeCloseTo(28, 0)
})

test.each(['a4', '80mm'])('without the name of the Wi-Fi there is only the code, on %s', async (paper) => {
  const faults = await print({ paper, guestInfo: { ...guestInfo, wifi_name: null } })
  const [slip, ...more] = await readPrinter(`${paper} without Wi-Fi`)

  expect({ faults, more, qrCodes: slip?.qrCodes }).toEqual({ faults: [], more: [], qrCodes: [] })
  expect(slip?.text).toContain('10482-91056')
  expect(slip?.text).not.toMatch(/Passwort|QR|Mit dem WLAN verbinden/)
})

test('an open Wi-Fi has no line for a password, and a hidden one is typed', async () => {
  await print({ paper: '80mm', guestInfo: { ...guestInfo, wifi_password: null, wifi_hidden: true } })
  const [slip] = await readPrinter('80mm open and hidden')

  expect(slip?.qrCodes.map(({ text }) => text)).toEqual([
    String.raw`WIFI:T:nopass;S:Gäste\; \"Adler\" & Söhne\, 5\:GHz \\;H:true;;`,
  ])
  expect(slip?.text).toMatch(/Netznamen\s+eingeben/)
  expect(slip?.text).not.toContain('Passwort')
})

const until = { id: '1-until', valid_until: '2026-12-24T10:00:00.000Z', expire_minutes: 60, max_uses: 0 }
const familyName = 'Familie Wolkenstein-Trostburg, Suite 7'
/** The longest name that the desk accepts. */
const longestName = `${'Fachtagung Gesundheitswesen und Digitalisierung, '.repeat(4)}${'W'.repeat(48)}`
const longTexts = {
  site: {
    id: 1,
    name: 'Kurhotel und Seminarzentrum Goldener Adler am Wolfgangsee mit Gästehaus, Campingplatz und Strandbad',
  },
  guestInfo: {
    ...guestInfo,
    wifi_name: 'W'.repeat(32),
    wifi_password: 'W'.repeat(63),
    footer: 'Fragen? Die Rezeption hilft gern, Durchwahl 9. '.repeat(3).slice(0, 120),
    logo_updated_at: '2026-11-15T10:00:00.000Z',
  },
}
const usualTexts = { guestInfo: { ...longTexts.guestInfo, wifi_name: wifiName, wifi_password: wifiPassword } }

test.each(guestLanguages.slice(0, size(2, guestLanguages.length)))(
  'everything fits on cards and slips in %s and up to two other languages',
  async (language) => {
    const second = guestLanguages[(guestLanguages.indexOf(language) + 1) % guestLanguages.length]
    const some = [
      ...vouchers(1),
      ...vouchers(1, { ...until, name: familyName }),
      ...vouchers(1, { id: '1-long', name: longestName }),
      ...vouchers(1, { ...until, id: '1-both', name: longestName }),
    ]
    const third = guestLanguages[(guestLanguages.indexOf(language) + 2) % guestLanguages.length]
    for (const paper of ['a4', '80mm'])
      for (const both of [[language], [language, second], [language, second, third]])
        for (const [kind, texts] of Object.entries({ long: longTexts, usual: usualTexts })) {
          const faults = await print({ vouchers: some, paper, languages: both, ...texts })
          if (process.env['SCREENSHOTS']) await readPrinter(`${paper} ${both.join('-')} ${kind}`)
          expect({ paper, both, kind, faults }).toEqual({ paper, both, kind, faults: [] })
        }
    await print({ vouchers: some, paper: '80mm', languages: [language, second], ...usualTexts })
    const pages = await readPrinter(`80mm ${language}`)

    expect(pages.map(({ qrCodes }) => qrCodes.map(({ text }) => text))).toEqual(Array(4).fill([wifiText]))
  },
)

const chosenLines = [
  ['code', 'validity', 'name', 'wifi_name', 'wifi_qr', 'wifi_password', 'heading', 'logo', 'house', 'footer'],
  ['footer', 'name', 'wifi_qr', 'house', 'wifi_password', 'code', 'wifi_name', 'validity'],
  ['wifi_password', 'code', 'logo', 'wifi_qr'],
  ['wifi_name', 'wifi_password', 'code', 'validity'],
  ['code'],
]

test.each(chosenLines)('chosen lines are printed in their order, and everything fits: %s', async (...lines) => {
  const some = [...vouchers(1), ...vouchers(1, { ...until, name: longestName })]
  let text = ''
  for (const [kind, texts] of Object.entries({ long: longTexts, usual: usualTexts }))
    for (const paper of ['a4', '80mm']) {
      const chosen = { ...texts, guestInfo: { ...texts.guestInfo, slip_lines: lines } }
      const faults = await print({ vouchers: some, paper, languages: ['de', 'en', 'fr'], ...chosen })
      text = (await page.locator('.vs-slip').first().textContent()) ?? ''
      const pages = await readPrinter(`${paper} ${lines.join(' ')} ${kind}`)
      const codes = pages.flatMap(({ qrCodes }) => qrCodes)

      expect({ kind, paper, faults }).toEqual({ kind, paper, faults: [] })
      expect(codes.length).toBe(lines.includes('wifi_qr') ? 2 : 0)
    }
  const found = {
    heading: 'WLAN-Zugang',
    wifi_name: wifiName,
    wifi_password: wifiPassword,
    code: '10482-91056',
    validity: '1 Tag ab der ersten',
    name: 'Zimmer 101',
    footer: usualTexts.guestInfo.footer,
    house: site.name,
  }
  const order = Object.entries(found)
    .filter(([, word]) => text.includes(word))
    .toSorted(([, a], [, b]) => text.indexOf(a) - text.indexOf(b))
  expect(order.map(([line]) => line)).toEqual(lines.filter((line) => line in found))
})

test('with a slip for each language, a voucher has as many slips', async () => {
  await print({
    paper: '80mm',
    languages: ['de', 'en', 'nl'],
    guestInfo: { ...guestInfo, slip_per_language: true },
  })
  const pages = await readPrinter('80mm per language')

  expect(pages.map(({ text }) => /WLAN-Zugang|Wi-Fi access|Wifi-toegang/.exec(text)?.[0])).toEqual([
    ...['WLAN-Zugang', 'Wi-Fi access', 'Wifi-toegang'],
  ])
})

test('the longest name and password are still read from a card', async () => {
  await print(longTexts)
  const [sheet] = await readPrinter('a4 longest')

  expect(sheet?.qrCodes.map(({ text }) => text)).toEqual([`WIFI:T:WPA;S:${'W'.repeat(32)};P:${'W'.repeat(63)};;`])
})

test('after printing the page is as before, and the policy of the app was kept', async () => {
  await print({})
  expect(await page.locator('.vs-print').count()).toBe(1)
  await readPrinter('a4 last')

  await expect.poll(() => page.locator('.vs-print').count()).toBe(0)
  expect(await page.evaluate(`[...document.styleSheets].filter((sheet) => sheet.cssRules[0]?.type === 6).length`)).toBe(
    0,
  )
  expect(complaints).toEqual([])
})
