/** The lines that a slip can have, in their usual order. */
export const slipLines = [
  'logo',
  'heading',
  'house',
  'wifi_name',
  'wifi_password',
  'wifi_qr',
  'code',
  'validity',
  'name',
  'footer',
] as const
export type SlipLine = (typeof slipLines)[number]

/** The most languages of one slip. */
export const maxSlipLanguages = 3
