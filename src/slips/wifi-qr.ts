/** The fields of a site's Wi-Fi, as API v2 answers them. */
export type WifiFacts = { wifi_name: string | null; wifi_password: string | null; wifi_hidden: boolean }

/**
 * The text of a QR code with which a phone joins the Wi-Fi; null if the name of the Wi-Fi is not known. It cannot carry the
 * code of a voucher, so a slip has two steps.
 */
export function wifiQrText({
  wifi_name: name,
  wifi_password: password,
  wifi_hidden: isHidden,
}: WifiFacts): string | null {
  if (!name) return null
  const fields = [
    password ? 'T:WPA' : 'T:nopass',
    `S:${escapeField(name)}`,
    ...(password ? [`P:${escapeField(password)}`] : []),
    ...(isHidden ? ['H:true'] : []),
  ]
  return `WIFI:${fields.join(';')};;`
}

/** Escapes characters that a phone would read as the end of a field. */
function escapeField(value: string): string {
  return value.replace(/[\\;,:"]/g, '\\$&')
}
