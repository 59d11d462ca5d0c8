import type { Database } from '#db/database.ts'
import { type Actor, limitingActorId } from '../actor.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { DomainError } from '../errors.ts'
import { deleteLogo, findGuestInfoToChange, insertLogo, type LogoType } from './guest-info.queries.ts'

export const maxLogoBytes = 256 * 1024
const maxPixels = 2_000

/** Stores the image as it was sent. Its content decides the type. */
export async function setLogo(db: Database, actor: Actor, siteId: number, bytes: Buffer): Promise<void> {
  const { type, width, height } = readImage(bytes)
  await db.transaction(async (tx) => {
    if (!(await findGuestInfoToChange(tx, siteId, limitingActorId(actor)))) throw siteNotFound(siteId)
    await insertLogo(tx, siteId, { type, bytes })
    const details = { type, width, height, bytes: bytes.length }
    await recordAudit(tx, actor, {
      action: 'site.logo_changed',
      targetKind: 'site',
      targetId: String(siteId),
      details,
    })
  })
}

/** Does nothing when the site has no logo. */
export async function removeLogo(db: Database, actor: Actor, siteId: number): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await findGuestInfoToChange(tx, siteId, limitingActorId(actor)))) throw siteNotFound(siteId)
    if (await deleteLogo(tx, siteId))
      await recordAudit(tx, actor, { action: 'site.logo_removed', targetKind: 'site', targetId: String(siteId) })
  })
}

function siteNotFound(siteId: number): DomainError {
  return new DomainError('site_not_found', { details: { ids: siteId } })
}

type Size = { width: number; height: number }

/** Rejects everything that is not a PNG or a JPEG of a size that can be read. An SVG can contain scripts. */
export function readImage(bytes: Buffer): Size & { type: LogoType } {
  if (bytes.length > maxLogoBytes) throw new DomainError('logo_too_large', { details: { maxKiB: maxLogoBytes / 1024 } })
  const type = typeOf(bytes)
  if (!type) throw new DomainError('logo_type_unsupported')
  const size = type === 'image/png' ? sizeOfPng(bytes) : sizeOfJpeg(bytes)
  if (!size || size.width === 0 || size.height === 0) throw new DomainError('logo_unreadable')
  if (size.width > maxPixels || size.height > maxPixels)
    throw new DomainError('logo_dimensions_too_large', { details: { ...size, max: maxPixels } })
  return { type, ...size }
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const jpegSignature = Buffer.from([0xff, 0xd8, 0xff])

function typeOf(bytes: Buffer): LogoType | undefined {
  if (bytes.subarray(0, pngSignature.length).equals(pngSignature)) return 'image/png'
  return bytes.subarray(0, jpegSignature.length).equals(jpegSignature) ? 'image/jpeg' : undefined
}

/** The first chunk of a PNG is its header: length 13, `IHDR`, width, height. */
function sizeOfPng(bytes: Buffer): Size | undefined {
  if (bytes.length < 33 || bytes.readUInt32BE(8) !== 13 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Skips the segments of a JPEG until the start of a frame, which has the size. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] as number
    if (marker === 0xff) {
      at += 1 // padding
      continue
    }
    if (startsFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    if (marker === 0xda || marker === 0xd9) return undefined // the image data or the end, without a frame before it
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** The markers C4, C8 and CC are in the same range, but they do not start a frame. */
function startsFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}
