import type { SlipVoucher } from '#slips/slip-facts.ts'
import type { SlipSite } from '#slips/slip-parts.ts'

export const slipVoucher: SlipVoucher = {
  id: '1-a',
  formatted_code: '53785-74831',
  name: 'Familie Huber',
  max_uses: 2,
  expire_minutes: 1440,
  valid_until: null,
  created_at: '2026-11-19T08:00:00.000Z',
}

/** Its Wi-Fi has letters of many languages, and characters that a QR code must escape. */
export const slipSite = {
  name: 'Hotel Goldener Adler',
  house: null,
  guestInfo: {
    wifi_name: 'Ä;"ö,:Ж\\ Gäste Żółć ěščřž 1',
    wifi_password: 'Sommer-am-See;"26\\,:',
    wifi_password_set: true,
    wifi_hidden: false,
    time_zone: 'Europe/Vienna',
    footer: 'Fragen? Empfang, Telefon 9',
  },
} satisfies SlipSite
