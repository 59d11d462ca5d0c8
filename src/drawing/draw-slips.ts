import PDFDocument from 'pdfkit'
import { encode, type QrCodeGenerateResult } from 'uqr'
import { type LanguageText, type SlipPart, slipSections } from '#slips/slip-parts.ts'
import { type Font, fontNames, openForDocument, printable } from './fonts.ts'
import { hasReadablePixels } from './has-readable-pixels.ts'
import { type Paper, type PaperName, papers } from './papers.ts'
import { wrapText } from './wrap-text.ts'

export type SlipJob = { slips: SlipPart[][]; paper: PaperName; logo: Uint8Array | null }

const pointsPerMm = 72 / 25.4
const mm = (length: number) => length * pointsPerMm

/** Draws slips as a PDF: a page for each, or sheets of cards. */
export async function drawSlips({ slips, paper: name, logo }: SlipJob): Promise<Buffer> {
  const paper: Paper = papers[name]
  const doc = new PDFDocument({ autoFirstPage: false, margin: 0, font: null as never, info: { Title: 'Wi-Fi' } })
  const chunks: Buffer[] = []
  const finished = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  for (const font of fontNames) doc.registerFont(font, openForDocument(font) as never) // its types lack open fonts
  const image = logo && (await hasReadablePixels(logo)) ? openImage(doc, logo) : null
  const sheet: Sheet = { doc, widths: new Map(), qrCodes: new Map() }
  if (paper.cards) drawCards(sheet, { slips, paper, cards: paper.cards, image })
  else for (const parts of slips) drawPage(sheet, { parts, paper, image })
  doc.end()
  return finished
}

type Image = { width: number; height: number }

/** Null for a picture that cannot be read: a slip without a logo is better than none. */
function openImage(doc: PDFKit.PDFDocument, bytes: Uint8Array): Image | null {
  try {
    return (doc as unknown as { openImage(bytes: Buffer): Image }).openImage(Buffer.from(bytes))
  } catch {
    return null
  }
}

/** How a slip is fitted to its paper. `text`: the size of texts compared with the usual one of the paper. Code and QR code keep their size. */
type Fit = { text: number; hasHints: boolean; hasFooter: boolean }

/** The usual fit, and those for slips that are too long for their paper, the best first. */
const fits: Fit[] = [
  ...[1, 0.92, 0.85, 0.78, 0.7].map((text) => ({ text, hasHints: true, hasFooter: true })),
  ...[0.78, 0.7, 0.62].map((text) => ({ text, hasHints: false, hasFooter: true })),
  ...[0.62, 0.55, 0.48, 0.4].map((text) => ({ text, hasHints: false, hasFooter: false })),
]

/** What the slips of a document share. `widths` has the width of each measured text at the size 1; `qrCodes` are costly to make. */
type Sheet = { doc: PDFKit.PDFDocument; widths: Map<string, number>; qrCodes: Map<string, QrCodeGenerateResult> }

/** Where and how the next part is drawn. Without `draws`, only its height is measured. */
type Pen = Sheet & {
  x: number
  y: number
  width: number
  scale: number
  fit: Fit
  align: 'left' | 'center'
  draws: boolean
}

type PageContent = { parts: SlipPart[]; paper: Paper; image: Image | null }

function drawPage(sheet: Sheet, { parts, paper, image }: PageContent): void {
  const { doc } = sheet
  const { width, height, margin, scale } = paper
  const pen = (fit: Fit, draws: boolean): Pen => ({
    ...sheet,
    ...{ x: mm(margin.x), y: mm(margin.y), width: mm(width - 2 * margin.x), scale, fit, draws },
    align: 'center',
  })
  const heightWith = (fit: Fit) => drawSlip(pen(fit, false), parts, image) + mm(margin.y)
  if (height === undefined) {
    doc.addPage({ size: [mm(width), Math.ceil(heightWith(fits[0] as Fit))], margin: 0 })
    drawSlip(pen(fits[0] as Fit, true), parts, image)
    return
  }
  doc.addPage({ size: [mm(width), mm(height)], margin: 0 })
  drawSlip(
    pen(
      roomiest((fit) => heightWith(fit) <= mm(height)),
      true,
    ),
    parts,
    image,
  )
}

function roomiest(hasRoom: (fit: Fit) => boolean): Fit {
  return fits.find(hasRoom) ?? (fits.at(-1) as Fit)
}

type CardsContent = {
  slips: SlipPart[][]
  paper: Paper
  cards: NonNullable<Paper['cards']>
  image: Image | null
}

function drawCards(sheet: Sheet, { slips, paper, cards, image }: CardsContent): void {
  const { doc } = sheet
  const ofSheet = cards.columns * cards.rows
  const margin = {
    x: (paper.width - cards.columns * cards.width) / 2,
    y: ((paper.height as number) - cards.rows * cards.height) / 2,
  }
  slips.forEach((parts, index) => {
    const place = index % ofSheet
    if (place === 0) {
      doc.addPage({ size: [mm(paper.width), mm(paper.height as number)], margin: 0 })
      drawCutLines(doc, cards, margin, Math.min(ofSheet, slips.length - index))
    }
    const x = margin.x + (place % cards.columns) * cards.width
    const y = margin.y + Math.floor(place / cards.columns) * cards.height
    const padding = { x: 5.5, y: 4 }
    const pen = (fit: Fit, draws: boolean): Pen => ({
      ...sheet,
      ...{ x: mm(x + padding.x), y: mm(y + padding.y), width: mm(cards.width - 2 * padding.x) },
      ...{ scale: paper.scale, fit, draws, align: 'left' },
    })
    const bottom = mm(y + cards.height - padding.y)
    const fit = roomiest((one) => drawCard(pen(one, false), parts, image) <= bottom)
    drawCard(pen(fit, true), parts, image, bottom)
  })
}

/** Lines around the first `count` cards of a sheet, along which somebody cuts. Each is drawn once. */
function drawCutLines(
  doc: PDFKit.PDFDocument,
  cards: NonNullable<Paper['cards']>,
  margin: { x: number; y: number },
  count: number,
): void {
  const lines = new Map<string, number[]>()
  for (let place = 0; place < count; place++) {
    const left = margin.x + (place % cards.columns) * cards.width
    const top = margin.y + Math.floor(place / cards.columns) * cards.height
    const [right, bottom] = [left + cards.width, top + cards.height]
    for (const line of [
      [left, top, right, top],
      [left, bottom, right, bottom],
      [left, top, left, bottom],
      [right, top, right, bottom],
    ])
      lines.set(line.join(), line)
  }
  doc.save().lineWidth(mm(0.2)).dash(mm(1), {}).strokeColor('#8c8c8c')
  for (const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] of lines.values()) doc.moveTo(mm(x1), mm(y1)).lineTo(mm(x2), mm(y2))
  doc.stroke().restore()
}

/** Draws a slip from top to bottom. Returns the end of it. */
function drawSlip(pen: Pen, parts: SlipPart[], image: Image | null): number {
  const { head, body, foot } = slipSections(parts)
  for (const part of head) drawPart(pen, part, image)
  if (head.some((part) => isVisible(part, image))) drawRule(pen, 3)
  for (const part of body) drawPart(pen, part, image)
  if (foot.some((part) => isVisible(part, image) && hasRoomFor(pen, part))) drawRule(pen, 3)
  for (const part of foot) drawPart(pen, part, image)
  return pen.y
}

const isVisible = ({ kind }: SlipPart, image: Image | null) => kind !== 'logo' || image !== null

const hasRoomFor = ({ fit }: Pen, { kind }: SlipPart) => kind !== 'footer' || fit.hasFooter

/** Draws a card: the QR code and the logo at the right, what is below the steps across the card. Returns the end of it. */
function drawCard(pen: Pen, parts: SlipPart[], image: Image | null, bottom?: number): number {
  const { x, width } = pen
  const isAside = ({ kind }: SlipPart) => kind === 'wifi_qr' || kind === 'logo'
  const qr = parts.find(({ kind }) => kind === 'wifi_qr')
  const logo = parts.some(({ kind }) => kind === 'logo') ? image : null
  const aside = mm(22)
  const right: Pen = { ...pen, x: x + width - aside, width: aside }
  if (qr) drawPart(right, qr, image)
  if (logo) drawLogo(right, logo, { width: aside, height: mm(9) })
  pen.width = qr || logo ? width - aside - mm(4) : width
  const { head, body, foot } = slipSections(parts.filter((part) => !isAside(part)))
  for (const part of head) drawPart(pen, part, null)
  if (head.length > 0) space(pen, 1.5)
  for (const part of body) drawPart(pen, part, null)
  pen.y = Math.max(pen.y, right.y)
  pen.width = width
  const drawFoot = (one: Pen) => {
    if (foot.some((part) => hasRoomFor(one, part))) drawRule(one, 1.2)
    for (const part of foot) drawPart(one, part, null)
  }
  if (bottom !== undefined) {
    const measured: Pen = { ...pen, draws: false }
    drawFoot(measured)
    pen.y = Math.max(pen.y, bottom - (measured.y - pen.y))
  }
  drawFoot(pen)
  return pen.y
}

function drawPart(pen: Pen, part: SlipPart, image: Image | null): void {
  if (part.kind === 'logo') {
    if (image) drawLogo(pen, image, { width: mm(48) * pen.scale, height: mm(16) * pen.scale })
  } else if (part.kind === 'heading') drawHeading(pen, part.texts)
  else if (part.kind === 'house') write(pen, part.text, { size: 10.5 })
  else if (part.kind === 'step') drawStep(pen, part)
  else if (part.kind === 'wifi_name') indented(pen, () => write(pen, part.text, { size: 10, font: 'bold' }))
  else if (part.kind === 'wifi_password') indented(pen, () => drawPassword(pen, part))
  else if (part.kind === 'wifi_qr') drawQr(pen, part.text)
  else if (part.kind === 'code') indented(pen, () => drawCode(pen, part.text))
  else if (part.kind === 'validity') for (const { facts } of part.facts) write(pen, facts.join(' · '), { size: 9.5 })
  else if (part.kind === 'name') {
    space(pen, 1)
    write(pen, part.text, { size: 9.5, font: 'bold' })
  } else if (hasRoomFor(pen, part)) {
    space(pen, 1)
    write(pen, part.text, { size: 9 })
  }
}

function drawHeading(pen: Pen, texts: LanguageText[]): void {
  const size = texts.length > 1 ? 13 : 16
  const line = texts.map(({ text }) => text).join(' · ')
  const fitsOnLine = widthOf(pen, line, 'bold', size * pen.scale * pen.fit.text) <= pen.width
  for (const text of fitsOnLine ? [line] : texts.map((one) => one.text)) write(pen, text, { size, font: 'bold' })
}

const discMm = 5.4
const discGapMm = 2.2

/** Runs `draw` beside the column of the numbers. */
function indented(pen: Pen, draw: () => void): void {
  const indent = mm(discMm + discGapMm) * pen.scale
  pen.x += indent
  pen.width -= indent
  const { align } = pen
  pen.align = 'left'
  draw()
  pen.align = align
  pen.x -= indent
  pen.width += indent
}

function drawStep(pen: Pen, { number, actions: [first, ...others], hints }: SlipPart & { kind: 'step' }): void {
  space(pen, pen.align === 'center' ? 2 : 1)
  const [x, y] = [pen.x, pen.y]
  indented(pen, () => {
    write(pen, first?.text ?? '', { size: 10.5, font: 'bold' })
    for (const { text } of others) write(pen, text, { size: 9.5 })
    if (pen.fit.hasHints) for (const { text } of hints) write(pen, text, { size: 9.5 })
  })
  if (number === null || !pen.draws) return
  const radius = (mm(discMm) * pen.scale) / 2
  const { doc } = pen
  doc.circle(x + radius, y + radius, radius).fill('#000')
  const size = 9.5 * pen.scale
  doc.font('bold').fontSize(size).fillColor('#fff')
  const width = doc.widthOfString(String(number))
  doc.text(String(number), x + radius - width / 2, y + radius - size * 0.68, { lineBreak: false })
  doc.fillColor('#000')
}

function drawPassword(pen: Pen, { labels, text }: SlipPart & { kind: 'wifi_password' }): void {
  const label = `${labels.map((one) => one.text).join(' / ')} `
  const size = 9.5 * pen.scale * pen.fit.text
  const labelWidth = widthOf(pen, label, 'regular', size)
  if (labelWidth + widthOf(pen, text, 'code', size) <= pen.width) {
    drawLine(pen, label, { x: pen.x, font: 'regular', size })
    drawLine(pen, text, { x: pen.x + labelWidth, font: 'code', size })
    pen.y += size * leading
  } else {
    write(pen, label, { size: 9.5 })
    writeOnOneLine(pen, text, size)
  }
}

/** A code or a password is never broken: it gets smaller instead. */
function writeOnOneLine(pen: Pen, text: string, largest: number): void {
  const size = Math.min(largest, (largest * pen.width) / widthOf(pen, text, 'code', largest))
  drawLine(pen, text, { x: pen.x, font: 'code', size })
  pen.y += size * leading
}

function drawCode(pen: Pen, code: string): void {
  space(pen, 0.5)
  writeOnOneLine(pen, code, 24 * pen.scale)
}

function drawQr(pen: Pen, text: string): void {
  space(pen, pen.align === 'center' ? 2 : 0)
  const qrCode = pen.qrCodes.get(text) ?? encode(text, { ecc: 'M', border: 0 })
  pen.qrCodes.set(text, qrCode)
  const { data, size } = qrCode
  const side = Math.min(pen.width, mm(Math.max(22, 28 * Math.min(pen.scale, 1.3))))
  const left = pen.align === 'center' ? pen.x + (pen.width - side) / 2 : pen.x
  const square = side / size
  if (pen.draws) {
    data.forEach((row, rowIndex) => {
      for (let from = 0; from < size; from++) {
        if (!row[from]) continue
        const end = row.indexOf(false, from)
        const to = end === -1 ? size : end
        pen.doc.rect(left + from * square, pen.y + rowIndex * square, (to - from) * square, square)
        from = to
      }
    })
    pen.doc.fill('#000')
  }
  pen.y += side
  space(pen, 2)
}

function drawLogo(pen: Pen, image: Image, most: { width: number; height: number }): void {
  const factor = Math.min(most.width / image.width, most.height / image.height)
  const [width, height] = [image.width * factor, image.height * factor]
  const left = pen.align === 'center' ? pen.x + (pen.width - width) / 2 : pen.x + pen.width - width
  if (pen.draws) pen.doc.image(image as never, left, pen.y, { width, height })
  pen.y += height
  space(pen, 2)
}

function drawRule(pen: Pen, gapMm: number): void {
  space(pen, gapMm)
  if (pen.draws) {
    const { doc, x, y, width } = pen
    doc
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(mm(0.3))
      .strokeColor('#000')
      .stroke()
  }
  space(pen, gapMm / 2)
}

const space = (pen: Pen, length: number) => {
  pen.y += mm(length) * pen.scale * pen.fit.text
}

/** The height of a line compared with the size of its letters. */
const leading = 1.3

function write(pen: Pen, text: string, { size: base, font = 'regular' }: { size: number; font?: Font }): void {
  const size = base * pen.scale * pen.fit.text
  const measure = (part: string) => widthOf(pen, part, font, size)
  for (const line of wrapText(text, pen.width, measure)) {
    const x = pen.align === 'center' ? pen.x + (pen.width - measure(line)) / 2 : pen.x
    drawLine(pen, line, { x, font, size })
    pen.y += size * leading
  }
}

/** The width of a text grows with its size, so each text is measured once. */
function widthOf({ doc, widths }: Pen, text: string, font: Font, size: number): number {
  const key = `${font} ${text}`
  const known = widths.get(key) ?? doc.font(font).fontSize(1).widthOfString(printable(text, font))
  widths.set(key, known)
  return known * size
}

function drawLine(
  { doc, y, draws }: Pen,
  text: string,
  { x, font, size }: { x: number; font: Font; size: number },
): void {
  if (!draws) return
  doc.font(font).fontSize(size).fillColor('#000').text(printable(text, font), x, y, { lineBreak: false })
}
