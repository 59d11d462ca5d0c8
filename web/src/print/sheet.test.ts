import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { SlipVoucher } from '#slips/slip-facts.ts'
import { Roll, Sheets } from './sheet.tsx'

const vouchers = Array.from({ length: 1_000 }, (_, index): SlipVoucher => {
  const limits = { max_uses: 2, expire_minutes: 1440, valid_until: null, created_at: '2026-11-15T10:00:00.000Z' }
  return { id: `1-${index}`, formatted_code: '48273-91056', name: `Room ${index}`, ...limits }
})
const guestInfo = {
  wifi_name: 'Hotel',
  wifi_password: 'welcome',
  wifi_password_set: true,
  wifi_hidden: false,
  time_zone: 'UTC',
  footer: null,
}

test.each([
  ['A4', Sheets],
  ['80 mm', Roll],
])('1,000 slips on %s draw the QR code of the Wi-Fi once', (_, Layout) => {
  const site = { name: 'Hotel', guestInfo, house: null, logoUrl: null }
  const html = renderToStaticMarkup(createElement(Layout, { vouchers, site, languages: ['en'] }))

  const drawn = html.match(/<path/g) ?? []
  const [, id] = html.match(/<svg[^>]* id="([^"]+)"/) ?? []
  expect(drawn).toHaveLength(2) // the dark squares and the background
  expect(html.split(`<use href="#${id}"`)).toHaveLength(1_001)
})

test('without the name of the Wi-Fi there is no QR code', () => {
  const site = { name: 'Hotel', guestInfo: { ...guestInfo, wifi_name: null }, house: null, logoUrl: null }
  const html = renderToStaticMarkup(createElement(Roll, { vouchers: vouchers.slice(0, 2), site, languages: ['en'] }))

  expect(html).not.toMatch(/<path|<use/)
})
