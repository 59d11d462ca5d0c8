import { Readable } from 'node:stream'
import { createInflate } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** The values of a pixel by the colour type of the header. */
const channels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/**
 * False for a PNG whose pixels cannot be unpacked, are more than its header says, or have a row with an unknown filter. pdfkit unpacks the
 * pixels of a logo with transparency in a callback: an error there ends the process, and so does a small file that unpacks to gigabytes.
 */
export async function hasReadablePixels(image: Uint8Array): Promise<boolean> {
  const bytes = Buffer.from(image)
  if (!bytes.subarray(0, signature.length).equals(signature)) return true // pdfkit only copies a JPEG
  const pixels = readPixels(bytes)
  if (!pixels) return false
  const hasKnownFilters = createFilterCheck(pixels.header)
  let unpacked = 0
  try {
    for await (const piece of Readable.from(pixels.pieces).pipe(createInflate())) {
      unpacked += piece.length
      if (unpacked > pixels.mostBytes || !hasKnownFilters(piece)) return false
    }
  } catch {
    return false
  }
  return unpacked > 0
}

/** The compressed pixels, and the most bytes that they can have. Undefined if a part leaves the file or there are two headers. */
function readPixels(png: Buffer): { pieces: Buffer[]; header: Buffer; mostBytes: number } | undefined {
  const pieces: Buffer[] = []
  let header: Buffer | undefined
  for (let at = signature.length; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + length)
    if (body.length < length) return undefined
    if (type === 'IHDR') {
      if (header !== undefined || length !== 13) return undefined
      header = body
    }
    if (type === 'IDAT') pieces.push(body)
    if (type === 'IEND') break
    at += 12 + length
  }
  const mostBytes = header && mostBytesOf(header)
  return header === undefined || mostBytes === undefined ? undefined : { pieces, header, mostBytes }
}

const lastFilter = 4

/** Returns a function that gets the unpacked pixels piece by piece. It is false if a row begins with a filter that PNG does not have. */
function createFilterCheck(header: Buffer): (piece: Buffer) => boolean {
  const rows = rowLengths(header)
  let left = 0
  return (piece) => {
    for (let at = 0; at < piece.length; ) {
      if (left === 0) {
        const row = rows.next()
        if (row.done) return true // pdfkit ignores what follows the last row
        if ((piece[at] as number) > lastFilter) return false
        left = row.value
      }
      const step = Math.min(left, piece.length - at)
      left -= step
      at += step
    }
    return true
  }
}

/** The first column and row of each pass of an interlaced picture, and the steps to the next ones. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** The bytes of each row with its filter, as the reader of pdfkit counts them: it expects a filter in the empty rows of a narrow picture, too. */
function* rowLengths(header: Buffer): Generator<number> {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth = 0, color = 0, , , interlace = 0] = header.subarray(8)
  for (const [x, y, dx, dy] of interlace === 1 ? passes : [[0, 0, 1, 1] as const]) {
    const [columns, rows] = [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)]
    for (let row = 0; row < rows; row++) yield 1 + Math.ceil((columns * depth * (channels[color] as number)) / 8)
  }
}

/** Interlaced rows are less than twice as many, and each begins with a byte of its own. */
function mostBytesOf(header: Buffer): number | undefined {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth = 0, color = 0] = header.subarray(8)
  const perPixel = channels[color]
  return perPixel && 2 * height * (Math.ceil((width * depth * perPixel) / 8) + 2)
}
