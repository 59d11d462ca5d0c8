import { encode } from 'uqr'
import { formattedCode } from '#drivers/driver.ts'
import { encodePng } from '#lib/encode-png.ts'
import { withoutLinks } from '#lib/without-links.ts'
import type { Mail, MailSender } from '#mail/mail.ts'
import type { GuestLanguage } from '#slips/guest-languages.ts'
import { type MailTexts, mailTexts } from '#slips/mail-texts.ts'
import { placeOf, type SlipPart, type SlipSite, slipParts } from '#slips/slip-parts.ts'
import type { RecordedVoucher } from '../record/voucher.ts'
import { htmlOf, paragraph } from './mail-html.ts'

/** The parts of every message that do not depend on what it says. */
export type Envelope = { sender: MailSender; to: string; messageId: string; createdAt: Date }

type Content = { voucher: RecordedVoucher; site: SlipSite; language: GuestLanguage }

const qrId = 'wifi-qr'
const pixelsPerModule = 6

/** The e-mail that tells a guest the code: what a slip says, as text and as HTML. Nothing in it is loaded from elsewhere. */
export function composeMessage({ voucher, site, language }: Content, envelope: Envelope): Mail {
  const parts = slipParts(toSlipVoucher(voucher), site, [language])
  const texts = textsFor(language, placeOf(site))
  const qr = parts.find(({ kind }) => kind === 'wifi_qr')
  return {
    ...addressed(envelope),
    subject: texts.subject,
    text: toText(parts, texts),
    html: toHtml(parts, texts, language),
    attachments:
      qr?.kind === 'wifi_qr' ? [{ cid: qrId, fileName: 'wifi.png', type: 'image/png', bytes: drawQr(qr.text) }] : [],
  }
}

export function addressed({ sender, to, messageId, createdAt }: Envelope) {
  const { name, address, replyTo } = sender
  return { from: { name, address }, replyTo, to, messageId, date: createdAt }
}

function toSlipVoucher(voucher: RecordedVoucher): Parameters<typeof slipParts>[0] {
  return {
    id: voucher.id,
    formatted_code: formattedCode(voucher.code),
    name: voucher.name,
    max_uses: voucher.maxUses,
    expire_minutes: voucher.expireMinutes,
    valid_until: voucher.validUntil?.toISOString() ?? null,
    created_at: voucher.createdAt.toISOString(),
  }
}

function textsFor(language: GuestLanguage, place: string): MailTexts {
  const texts = Object.entries(mailTexts[language]).map(([name, text]) => [
    name,
    text.replaceAll('{place}', () => place),
  ])
  return Object.fromEntries(texts) as MailTexts
}

/** The lines of a part, without what stands in every message. */
function linesOf(part: SlipPart): string[] {
  switch (part.kind) {
    case 'step':
      return [`${part.number === null ? '' : `${part.number}. `}${part.actions[0]?.text}`]
    case 'wifi_password':
      return [`${part.labels[0]?.text}: ${part.text}`]
    case 'validity':
      return [part.facts[0]?.facts.join(' · ') ?? '']
    case 'wifi_name':
    case 'code':
    case 'footer':
      return [part.text]
    case 'name':
      return [withoutLinks(part.text)] // anybody who can create a voucher chose it, and mail programs make links of texts
    default:
      return [] // the subject and the first sentence say what it is and where
  }
}

function toText(parts: SlipPart[], { greeting, intro, automatic, unexpected }: MailTexts): string {
  const blocks = parts.map(linesOf).filter((lines) => lines.length > 0)
  return `${[[greeting], [intro], ...blocks, ['--', automatic, unexpected]].map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function toHtml(
  parts: SlipPart[],
  { subject, greeting, intro, automatic, unexpected }: MailTexts,
  language: string,
): string {
  const blocks = parts.flatMap((part) => {
    if (part.kind === 'wifi_qr')
      return [`<p style="margin:0 0 8px"><img src="cid:${qrId}" alt="Wi-Fi QR" width="160" height="160"></p>`]
    const lines = linesOf(part)
    if (lines.length === 0) return []
    return [paragraph(part.kind === 'step' || part.kind === 'code' ? part.kind : 'plain', ...lines)]
  })
  return htmlOf(language, subject, [
    paragraph('plain', greeting),
    paragraph('plain', intro),
    ...blocks,
    paragraph('small', automatic, unexpected),
  ])
}

/** A QR code as PNG, with the border that readers need. */
function drawQr(text: string): Buffer {
  const { data, size } = encode(text, { border: 4, ecc: 'M' })
  const width = size * pixelsPerModule
  const pixels = new Uint8Array(width * width).fill(255)
  for (let y = 0; y < width; y++)
    for (let x = 0; x < width; x++)
      if (data[Math.floor(y / pixelsPerModule)]?.[Math.floor(x / pixelsPerModule)]) pixels[y * width + x] = 0
  return encodePng({ data: pixels, width, height: width })
}
