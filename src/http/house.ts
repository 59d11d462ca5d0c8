import type { FastifyInstance } from 'fastify'
import { findHouseLogo, type House, readHouse, type SettingsContext } from '#domain/settings/house.ts'
import { accentColors, mainColors } from '#lib/accent-colors.ts'
import { registerPublicPage } from './server/public-page.ts'
import { matchesEtag } from './v2/kit/etag.ts'
import { houseLogoPath, houseLogoUrl } from './v2/settings/house.ts'

/** Serves the logo of the house and the manifest with which a tablet installs the web app. Both are read for each request. */
export function registerHouse(app: FastifyInstance, ctx: SettingsContext): void {
  registerPublicPage(app, {
    url: houseLogoPath,
    async render(request, reply) {
      const logo = await findHouseLogo(ctx.db)
      if (!logo) return reply.callNotFound()
      const isNamed = (request.query as { v?: unknown }).v === logo.version
      const etag = `"${logo.version}"`
      reply.headers({
        ...logoHeaders,
        'cache-control': isNamed ? 'public, max-age=31536000, immutable' : 'public, no-cache',
        etag,
      })
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.type(logo.type).send(logo.bytes)
    },
  })
  registerPublicPage(app, {
    url: '/manifest.webmanifest',
    async render(_request, reply) {
      reply.headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
      return reply.type('application/manifest+json').send(JSON.stringify(manifestOf(await readHouse(ctx))))
    },
  })
}

/** Even if somebody opens the image by itself, nothing in it can run. */
const logoHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'content-disposition': 'inline',
}

/** A name under an icon is cut after about 12 characters. */
const maxShortName = 12

function manifestOf({ name, accentColor, logo }: House) {
  const fullName = name ?? 'Voucher Service'
  return {
    id: '/',
    name: fullName,
    short_name: fullName.length <= maxShortName ? fullName : 'Vouchers',
    start_url: '/desk',
    scope: '/',
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: accentColor === null ? '#4350c6' : mainColors(accentColors(accentColor)).light.button,
    icons: [
      // Only a square logo can be an icon: a tablet would distort any other.
      ...(logo && logo.width === logo.height && logo.width >= 192
        ? [{ src: houseLogoUrl(logo), sizes: `${logo.width}x${logo.height}`, type: logo.type, purpose: 'any' }]
        : []),
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
      { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  }
}
