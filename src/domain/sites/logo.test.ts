import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#test/data/database.ts'
import { jpeg, jpegOfSize, png, pngOfBytes, pngOfSize } from '#test/data/images.ts'
import { seedKey, seedSite, testActor } from '#test/data/seed.ts'
import { testKeyring } from '#test/environment.ts'
import type { Actor } from '../actor.ts'
import { findLogo } from './guest-info.queries.ts'
import { readGuestInfo } from './guest-info.ts'
import { maxLogoBytes, readImage, removeLogo, setLogo } from './logo.ts'
import { removeSite } from './remove-site.ts'

const db = await createTestDatabase()
const ctx = { db, keyring: testKeyring, today: { timeZone: 'UTC' } }

test('a logo is stored as sent, replaced and removed; each is audited', async () => {
  const siteId = await seedSite(db)

  await setLogo(db, testActor, siteId, png)
  const first = await findLogo(db, siteId, null)
  const { logoUpdatedAt } = await readGuestInfo(ctx, testActor, siteId)
  await setLogo(db, testActor, siteId, jpeg)
  const second = await findLogo(db, siteId, null)
  await removeLogo(db, testActor, siteId)
  await removeLogo(db, testActor, siteId)

  expect([first, second]).toEqual([
    { type: 'image/png', bytes: png },
    { type: 'image/jpeg', bytes: jpeg },
  ])
  expect(logoUpdatedAt).toBeInstanceOf(Date)
  expect(await findLogo(db, siteId, null)).toBeUndefined()
  expect(await readGuestInfo(ctx, testActor, siteId)).toMatchObject({ logoUpdatedAt: null })
  const { rows } = await db.query(`select action, details from audit where target_id = $1 order by id`, [
    String(siteId),
  ])
  expect(rows).toEqual([
    { action: 'site.logo_changed', details: { type: 'image/png', width: 7, height: 5, bytes: png.length } },
    { action: 'site.logo_changed', details: { type: 'image/jpeg', width: 7, height: 5, bytes: jpeg.length } },
    { action: 'site.logo_removed', details: {} },
  ])
})

test('a site is removed together with its logo', async () => {
  const siteId = await seedSite(db)
  await setLogo(db, testActor, siteId, png)

  await removeSite(db, testActor, siteId)

  expect((await db.query('select from site_logos where site_id = $1', [siteId])).rowCount).toBe(0)
})

test('a site that the actor may not use is not found', async () => {
  const [siteId, other] = [await seedSite(db), await seedSite(db)]
  const { id } = await seedKey(db, { scope: 'manage', siteIds: [other] })
  const limited: Actor = { kind: 'key', id, name: 'Test', allSites: false }
  await setLogo(db, testActor, siteId, png)

  await expect(setLogo(db, limited, siteId, jpeg)).rejects.toThrow('site_not_found')
  await expect(removeLogo(db, limited, siteId)).rejects.toThrow('site_not_found')
  await expect(setLogo(db, testActor, 999_999, jpeg)).rejects.toThrow('site_not_found')
  expect(await findLogo(db, siteId, id)).toBeUndefined()
  expect(await findLogo(db, siteId, null)).toEqual({ type: 'image/png', bytes: png })
})

const progressive = Buffer.from(jpeg.toString('latin1').replace('\xff\xc0', '\xff\xc2'), 'latin1')
const padded = Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xff]), jpeg.subarray(2)])
/** A table that begins with FF C0, as the frame does. */
const decoy = Buffer.from([0xff, 0xc4, 0, 9, 0xff, 0xc0, 0, 1, 2, 3, 4])

test.each([
  ['a PNG', png, { type: 'image/png', width: 7, height: 5 }],
  ['a large PNG', pngOfSize(2_000, 2_000), { type: 'image/png', width: 2_000, height: 2_000 }],
  ['a PNG of the largest size', pngOfBytes(maxLogoBytes), { type: 'image/png', width: 7, height: 5 }],
  ['a JPEG', jpeg, { type: 'image/jpeg', width: 7, height: 5 }],
  ['a progressive JPEG', progressive, { type: 'image/jpeg', width: 7, height: 5 }],
  ['a JPEG with padding', padded, { type: 'image/jpeg', width: 7, height: 5 }],
  [
    'a JPEG whose table looks like a frame',
    Buffer.concat([jpeg.subarray(0, 2), decoy, jpeg.subarray(2)]),
    { type: 'image/jpeg', width: 7, height: 5 },
  ],
])('%s is accepted', (_, bytes, read) => {
  expect(readImage(bytes)).toEqual(read)
})

test.each([
  ['nothing', Buffer.alloc(0), 'logo_type_unsupported'],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), 'logo_type_unsupported'],
  ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), 'logo_type_unsupported'],
  ['a GIF', Buffer.from('GIF89a\x07\x00\x05\x00', 'latin1'), 'logo_type_unsupported'],
  ['a WebP', Buffer.from('RIFF....WEBPVP8 '), 'logo_type_unsupported'],
  ['a PNG after a space', Buffer.concat([Buffer.from(' '), png]), 'logo_type_unsupported'],
  ['compressed bytes', deflateSync(png), 'logo_type_unsupported'],
  ['only the signature of a PNG', png.subarray(0, 8), 'logo_unreadable'],
  ['a PNG without its header', Buffer.concat([png.subarray(0, 8), png.subarray(33)]), 'logo_unreadable'],
  ['a PNG without a width', pngOfSize(0, 5), 'logo_unreadable'],
  ['a JPEG without a height', jpegOfSize(7, 0), 'logo_unreadable'],
  ['a JPEG that ends before its frame', jpeg.subarray(0, 200), 'logo_unreadable'],
  ['a JPEG with rubbish', Buffer.concat([jpeg.subarray(0, 3), Buffer.alloc(99)]), 'logo_unreadable'],
  ['a JPEG with the image before the frame', Buffer.from('ffd8ffda00080000000000000000', 'hex'), 'logo_unreadable'],
  ['a PNG that is too wide', pngOfSize(2_001, 1), 'logo_dimensions_too_large'],
  ['a PNG that is too high', pngOfSize(1, 4_000_000_000), 'logo_dimensions_too_large'],
  ['a JPEG that is too wide', jpegOfSize(2_001, 1), 'logo_dimensions_too_large'],
  ['a PNG with one byte too many', pngOfBytes(maxLogoBytes + 1), 'logo_too_large'],
])('%s is rejected', (_, bytes, code) => {
  expect(() => readImage(bytes)).toThrow(code)
})

test('every beginning of an image is accepted or rejected, never a crash', () => {
  for (const image of [png, jpeg])
    for (let length = 0; length < image.length; length++) {
      try {
        readImage(image.subarray(0, length))
      } catch (error) {
        expect(error).toMatchObject({ name: 'DomainError' })
      }
    }
})
