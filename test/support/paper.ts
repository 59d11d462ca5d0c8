import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { encodePng } from '#lib/encode-png.ts'

export type PrintedPage = {
  widthMm: number
  heightMm: number
  text: string
  qrCodes: { text: string; sizeMm: number }[]
  /** How far the ink nearest to an edge of the page is from it. */
  inkMm: number
}

const pdfium = await PDFiumLibrary.init()
const wasm = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
await prepareZXingModule({ overrides: { wasmBinary: wasm.buffer as ArrayBuffer }, fireImmediately: true })

const dotsPerMm = 8

/** Draws the pages of a PDF as a printer with 203 dots per inch would, and reads the QR codes on them. */
export async function readPaper(pdf: Uint8Array, name: string): Promise<PrintedPage[]> {
  const document = await pdfium.loadDocument(pdf)
  const pages: PrintedPage[] = []
  for (const page of document.pages()) {
    const { originalWidth, originalHeight } = page.getOriginalSize()
    const text = page.getText() // before `render`, which closes the page
    const scale = (dotsPerMm * 25.4) / 72
    const { data, width, height } = await page.render({ scale, render: 'bitmap' })
    keepPicture(`${name} ${page.number}`, { data, width, height })
    const image = { data: new Uint8ClampedArray(data), width, height, colorSpace: 'srgb' } as const
    const found = await readBarcodes(image as never, { formats: ['QRCode'], maxNumberOfSymbols: 20 })
    pages.push({
      widthMm: Math.round((originalWidth / 72) * 25.4),
      heightMm: Math.round((originalHeight / 72) * 25.4),
      text,
      inkMm: distanceOfInk({ data, width, height }) / dotsPerMm,
      qrCodes: found.map(({ text, position: { topLeft, topRight } }) => ({
        text,
        sizeMm: (topRight.x - topLeft.x) / dotsPerMm,
      })),
    })
  }
  document.destroy()
  return pages
}

/** The texts of the QR codes in a picture, which has a byte for each dot. */
export async function readPicture({ gray, width, height }: { gray: Uint8Array; width: number; height: number }) {
  const data = new Uint8ClampedArray(gray.length * 4).fill(255)
  for (const [dot, shade] of gray.entries()) data.fill(shade, dot * 4, dot * 4 + 3)
  const found = await readBarcodes({ data, width, height, colorSpace: 'srgb' } as never, { formats: ['QRCode'] })
  return found.map(({ text }) => text)
}

/** In dots, from the nearest edge. */
function distanceOfInk({ data, width, height }: { data: Uint8Array; width: number; height: number }): number {
  let nearest = Math.min(width, height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if ((data[(y * width + x) * 4 + 1] as number) < 128)
        nearest = Math.min(nearest, x, y, width - 1 - x, height - 1 - y)
  return nearest
}

/** Saves a PNG for people to look at, in the folder that SCREENSHOTS names. */
function keepPicture(name: string, { data, width, height }: { data: Uint8Array; width: number; height: number }): void {
  const folder = process.env['SCREENSHOTS']
  if (folder === undefined) return
  const gray = new Uint8Array(width * height)
  for (let i = 0; i < gray.length; i++) gray[i] = data[i * 4 + 1] as number
  writeFileSync(join(folder, `${name}.png`), encodePng({ data: gray, width, height, dotsPerMm }))
}
