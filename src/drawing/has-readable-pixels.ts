import { Readable } from 'node:stream'
import { createInflate } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** The values of a pixel by the colour type of the header. */
const channels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/**
 * False for a PNG whose pixels cannot be unpacked, or are more than its header says. pdfkit unpacks the pixels of a logo with transparency in a
 * callback: an error there ends the process, and so does a small file that unpacks to gigabytes.
 */
export async function hasReadablePixels(image: Uint8Array): Promise<boolean> {
  const bytes = Buffer.from(image)
  if (!bytes.subarray(0, signature.length).equals(signature)) return true // pdfkit only copies a JPEG
  const pixels = readPixels(bytes)
  if (!pixels) return false
  let unpacked = 0
  try {
    for await (const piece of Readable.from(pixels.pieces).pipe(createInflate())) {
      unpacked += piece.length
      if (unpacked > pixels.mostBytes) return false
    }
  } catch {
    return false
  }
  return unpacked > 0
}

/** The compressed pixels, and the most bytes that they can have. Undefined if a part leaves the file or there are two headers. */
function readPixels(png: Buffer): { pieces: Buffer[]; mostBytes: number } | undefined {
  const pieces: Buffer[] = []
  let mostBytes: number | undefined
  for (let at = signature.length; at + 12 <= png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + length)
    if (body.length < length) return undefined
    if (type === 'IHDR') {
      if (mostBytes !== undefined || length !== 13) return undefined
      mostBytes = mostBytesOf(body)
    }
    if (type === 'IDAT') pieces.push(body)
    if (type === 'IEND') break
    at += 12 + length
  }
  return mostBytes === undefined ? undefined : { pieces, mostBytes }
}

/** Interlaced rows are less than twice as many, and each begins with a byte of its own. */
function mostBytesOf(header: Buffer): number | undefined {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth = 0, color = 0] = header.subarray(8)
  const perPixel = channels[color]
  return perPixel && 2 * height * (Math.ceil((width * depth * perPixel) / 8) + 2)
}
