import { crc32 } from 'node:zlib'

/** Images of 7 × 5 pixels, made by Chromium. The JPEG has a colour profile before its size. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAcAAAAFCAYAAACJmvbYAAAALUlEQVR4AXyKwQkAAAgCq/13LkHu46NI0a6pZ4CrH6ToBbqFA1t3pOgFuoUfAAAA//9ZZ4eiAAAABklEQVQDADtYAwtPGOGNAAAAAElFTkSuQmCC',
  'base64',
)
export const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAAFAAcDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AIgAf//Z',
  'base64',
)

const heightAt = jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 5

export function pngOfSize(width: number, height: number): Buffer {
  const bytes = Buffer.from(png)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

export function jpegOfSize(width: number, height: number): Buffer {
  const bytes = Buffer.from(jpeg)
  bytes.writeUInt16BE(height, heightAt)
  bytes.writeUInt16BE(width, heightAt + 2)
  return bytes
}

/** A PNG with this many bytes. */
export function pngOfBytes(length: number): Buffer {
  return Buffer.concat([png, Buffer.alloc(length - png.length)])
}

/** A PNG of 7 × 5 pixels with transparency, and with these compressed pixels. */
export function pngWithPixels(pixels: Uint8Array): Buffer {
  const chunk = (type: string, body: Uint8Array) => {
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(body.length)
    sum.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), body])))
    return Buffer.concat([length, Buffer.from(type), body, sum])
  }
  return Buffer.concat([png.subarray(0, 33), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}
