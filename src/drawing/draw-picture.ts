import { readFileSync } from 'node:fs'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import { encodePng } from '#lib/encode-png.ts'
import { drawSlips, type SlipJob } from './draw-slips.ts'
import { type MissingLetters, missingLetters } from './missing-letters.ts'
import { type Paper, papers } from './papers.ts'

/** The first page of slips as a picture. */
export type SlipPicture = {
  png: Uint8Array
  widthMm: number
  heightMm: number
  /** Letters that are printed as a question mark, on any page. */
  missing: MissingLetters[]
}

const inch = 25.4

/** The dots per inch of usual receipt printers. Larger paper has enough with fewer. */
const dotsPerInch = ({ width }: Paper) => (width > 100 ? 150 : 203)

let library: Promise<PDFiumLibrary> | undefined

const wasm = new URL('../../node_modules/@hyzyla/pdfium/dist/pdfium.wasm', import.meta.url)

/** Draws the first page of the slips in shades of gray. */
export async function drawPicture(job: SlipJob): Promise<SlipPicture> {
  library ??= PDFiumLibrary.init({ wasmBinary: readFileSync(wasm).buffer })
  const document = await (await library).loadDocument(await drawSlips(job))
  try {
    const page = document.getPage(0)
    const { originalWidth, originalHeight } = page.getOriginalSize()
    const dots = dotsPerInch(papers[job.paper])
    const { data, width, height } = await page.render({
      width: Math.round((originalWidth / 72) * dots),
      height: Math.round((originalHeight / 72) * dots),
      scale: 1,
      colorSpace: 'Gray',
      render: 'bitmap',
    })
    return {
      png: encodePng({ data, width, height, dotsPerMm: dots / inch }),
      widthMm: Math.round((originalWidth / 72) * inch),
      heightMm: Math.round((originalHeight / 72) * inch),
      missing: missingLetters(job.slips),
    }
  } finally {
    document.destroy()
  }
}
