import { crc32, deflateSync } from 'node:zlib'

/** Shades of gray, a byte for each dot, from the upper left one. With `dotsPerMm`, the PNG knows its size on paper. */
export type GrayPicture = { data: Uint8Array; width: number; height: number; dotsPerMm?: number }

export function encodePng({ data, width, height, dotsPerMm }: GrayPicture): Buffer {
  const rows = Buffer.alloc((width + 1) * height) // each row begins with its filter, 0
  for (let y = 0; y < height; y++) rows.set(data.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...(dotsPerMm === undefined ? [] : [chunk('pHYs', perMetre(dotsPerMm))]),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function perMetre(dotsPerMm: number): Buffer {
  const density = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1])
  density.writeUInt32BE(Math.round(dotsPerMm * 1000), 0)
  density.writeUInt32BE(Math.round(dotsPerMm * 1000), 4)
  return density
}

function chunk(type: string, body: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), body])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, sum])
}
