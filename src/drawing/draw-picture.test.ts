import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { slipParts } from '#slips/slip-parts.ts'
import { wifiQrText } from '#slips/wifi-qr.ts'
import { readPicture } from '#test/paper.ts'
import { slipSite, slipVoucher as voucher } from '#test/sample-slip.ts'
import { drawPicture } from './draw-picture.ts'
import { type PaperName, papers } from './papers.ts'

const guestInfo = { ...slipSite.guestInfo, footer: null }
const site = { ...slipSite, guestInfo }

/** The facts in the first chunks of a PNG, and its dots. */
function readPng(png: Uint8Array) {
  const bytes = Buffer.from(png)
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const [header, density, data] = ['IHDR', 'pHYs', 'IDAT'].map((type) => chunks.get(type) as Buffer)
  const [width, height] = [header?.readUInt32BE(0) ?? 0, header?.readUInt32BE(4) ?? 0]
  const rows = inflateSync(data as Buffer)
  const dots = Buffer.concat(
    Array.from({ length: height }, (_, y) => rows.subarray(y * (width + 1) + 1, (y + 1) * (width + 1))),
  )
  return { width, height, dots, dotsPerInch: Math.round((density?.readUInt32BE(0) ?? 0) * 0.0254) }
}

test.each(Object.keys(papers) as PaperName[])(
  'the picture of %s has the size of the paper, and its QR code is read',
  async (paper) => {
    const job = { slips: [slipParts(voucher, site, ['de', 'en'])], paper, logo: null }
    const { png, widthMm, heightMm, missing } = await drawPicture(job)
    const folder = process.env['SCREENSHOTS']
    if (folder !== undefined) writeFileSync(join(folder, `picture ${paper}.png`), png)
    const { width, height, dots, dotsPerInch } = readPng(png)

    expect(widthMm).toBe(papers[paper].width)
    expect(dotsPerInch).toBe(widthMm > 100 ? 150 : 203)
    expect(Math.abs(width - (widthMm / 25.4) * dotsPerInch)).toBeLessThan(4)
    expect(Math.abs(height - (heightMm / 25.4) * dotsPerInch)).toBeLessThan(8)
    expect(await readPicture({ gray: dots, width, height })).toEqual([wifiQrText(guestInfo)])
    expect(missing).toEqual([])
  },
)

test('letters that the font lacks are named with their line, once each', async () => {
  const strange = {
    ...site,
    name: 'Hotel 王',
    guestInfo: { ...guestInfo, wifi_name: 'Gäste 😀😀', footer: 'Ω Ж 王😀' },
  }
  const slips = [slipParts(voucher, strange, ['de']), slipParts({ ...voucher, name: '日本語' }, strange, ['en'])]
  const { missing } = await drawPicture({ slips, paper: '80mm', logo: null })

  expect(missing).toEqual([
    { line: 'house', letters: ['王'] },
    { line: 'wifi_name', letters: ['😀'] },
    { line: 'footer', letters: ['王', '😀'] },
    { line: 'name', letters: [...new Set('日本語')] },
  ])
})
