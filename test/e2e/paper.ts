import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

export type PrintedPage = {
  widthMm: number
  heightMm: number
  text: string
  qrCodes: { text: string; sizeMm: number }[]
}

const pdfium = await PDFiumLibrary.init()
const wasm = readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
await prepareZXingModule({ overrides: { wasmBinary: wasm.buffer as ArrayBuffer }, fireImmediately: true })

/** Draws the pages of a PDF as a printer with 203 dots per inch would, and reads the QR codes on them. */
export async function readPaper(pdf: Uint8Array, name: string): Promise<PrintedPage[]> {
  const document = await pdfium.loadDocument(pdf)
  const dotsPerMm = 8
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
      qrCodes: found.map(({ text, position: { topLeft, topRight } }) => ({
        text,
        sizeMm: (topRight.x - topLeft.x) / dotsPerMm,
      })),
    })
  }
  document.destroy()
  return pages
}

/** Saves a PNG for people to look at, in the folder that SCREENSHOTS names. */
function keepPicture(name: string, { data, width, height }: { data: Uint8Array; width: number; height: number }): void {
  const folder = process.env['SCREENSHOTS']
  if (folder === undefined) return
  const rows = Buffer.alloc((width + 1) * height) // each row begins with its filter, 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + x + 1] = data[(y * width + x) * 4 + 1] as number
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const chunk = (type: string, body: Buffer) => {
    const content = Buffer.concat([Buffer.from(type), body])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(body.length)
    sum.writeUInt32BE(crc32(content))
    return Buffer.concat([length, content, sum])
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  writeFileSync(join(folder, `${name}.png`), Buffer.concat([signature, ...chunks]))
}
