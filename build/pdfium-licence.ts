import { readFileSync } from 'node:fs'
import { root } from './when-changed.ts'

/**
 * The code in `pdfium.wasm`, as the build files of PDFium name it. The licences are copies of the files in PDFium's sources; ICU's is
 * the one in Node's. `@hyzyla/pdfium` has only a licence of its own.
 */
const parts = [
  { title: 'PDFium', identifier: 'BSD-3-Clause AND Apache-2.0', file: 'pdfium.txt' },
  { title: 'Anti-Grain Geometry', identifier: 'LicenseRef-AGG-2.3', file: 'agg.txt' },
  { title: 'FreeType', identifier: 'FTL', file: 'freetype.txt' },
  { title: 'ICU', identifier: 'Unicode-3.0', file: 'icu.txt' },
  { title: 'Little CMS', identifier: 'MIT', file: 'lcms.txt' },
  { title: 'OpenJPEG', identifier: 'BSD-2-Clause', file: 'openjpeg.txt' },
]

/** Their licences ask for these sentences. Abseil and fast_float are under the Apache License 2.0, whose text PDFium includes. */
const sentences = `pdfium.wasm contains FreeType: portions of this software are copyright © The FreeType Project (https://freetype.org). All rights reserved.
pdfium.wasm contains libjpeg-turbo: this software is based in part on the work of the Independent JPEG Group.
pdfium.wasm also contains Abseil and fast_float (Apache License 2.0, in the licence of PDFium) and zlib.`

export const pdfiumIdentifier = [
  ...new Set(parts.flatMap(({ identifier }) => identifier.split(' AND '))),
  'IJG',
  'Zlib',
].join(' AND ')

export function readPdfiumLicences(): string {
  const texts = parts.map(
    ({ title, file }) => `### ${title}\n\n${readFileSync(`${root}build/pdfium-licences/${file}`, 'utf8').trim()}`,
  )
  return `The file pdfium.wasm of this package is made from PDFium (https://pdfium.googlesource.com/pdfium/), which contains other software.\n\n${sentences}\n\n${texts.join('\n\n')}`
}
