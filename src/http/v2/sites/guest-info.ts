import { type Static, Type } from 'typebox'
import { type Actor, limitingActorId } from '#domain/actor.ts'
import { DomainError } from '#domain/errors.ts'
import { findCanSendMail } from '#domain/mail-server/mail-server.queries.ts'
import type { MailServerContext } from '#domain/mail-server/mail-server.ts'
import { readHouse, type SettingsContext } from '#domain/settings/house.ts'
import { findLogo } from '#domain/sites/guest-info.queries.ts'
import {
  type GuestInfo,
  maxFooterLength,
  maxRoomDays,
  readGuestInfo,
  readSlipInfo,
  setGuestInfo,
} from '#domain/sites/guest-info.ts'
import { maxLogoBytes, removeLogo, setLogo } from '#domain/sites/logo.ts'
import { guestLanguages } from '#slips/guest-languages.ts'
import { type SlipLine, slipLines } from '#slips/slip-lines.ts'
import { changeBody, isoOrNull, siteNumber, textOrNull, timeOrNull } from '../kit/fields.ts'
import { fileAnswer } from '../kit/files/file-answer.ts'
import { operation } from '../kit/operation.ts'
import { houseSchema, houseToWire } from '../settings/house.ts'
import { readSiteNumber, siteParams } from './sites.ts'

const fields = {
  wifi_name: Type.Unsafe<string | null>({
    ...textOrNull,
    examples: ['Guests'],
    description: 'The name of the guest Wi-Fi: 1 to 32 bytes in UTF-8. Null: none.',
  }),
  wifi_hidden: Type.Boolean({ description: 'True if devices do not show the name, so that guests must type it.' }),
  guest_languages: Type.Array(Type.Enum([...guestLanguages]), {
    maxItems: guestLanguages.length,
    description: 'The languages of a slip, in this order. Empty: the person who prints chooses.',
  }),
  footer: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: maxFooterLength,
    examples: ['Reception: dial 9'],
    description: 'A line at the end of a slip. Null: none.',
  }),
  slip_per_language: Type.Boolean({
    description: 'True: each language of the slip has a slip of its own. False: one slip has all of them.',
  }),
  slip_password_for_keys: Type.Boolean({
    description: 'Whether slips that API keys download have the Wi-Fi password. Only people may allow it.',
  }),
  room_days: Type.Integer({
    minimum: 0,
    maximum: maxRoomDays,
    description:
      'How many days after `valid_until` a client should set `extendable_until` of a new stay. The service does not set it.',
  }),
}

const linesText = 'The lines of a slip in their order. `code` must be one of them.'

/** The lines of a slip in a request. */
export const slipLinesField = Type.Array(Type.Enum([...slipLines]), {
  minItems: 1,
  maxItems: slipLines.length,
  description: linesText,
})

const guestInfoSchema = Type.Object(
  {
    site_id: siteNumber,
    ...fields,
    slip_lines: slipLinesField,
    wifi_password: {
      ...textOrNull,
      description: 'The password of the guest Wi-Fi. Only people get it. It is always null for API keys.',
    },
    wifi_password_set: Type.Boolean({ description: 'Whether a Wi-Fi password is stored.' }),
    time_zone: Type.String({ examples: ['Europe/Vienna'] }),
    time_zone_is_default: Type.Boolean({ description: 'Whether `time_zone` is that of the service.' }),
    logo_updated_at: { ...timeOrNull, description: 'Null if the site has no logo.' },
    can_send_email: Type.Boolean({
      description: 'Whether messages can be sent to guests: there is a mail server, and a sender for the site.',
    }),
    house: {
      ...houseSchema,
      description: 'The house that runs the service. A slip shows its name, and its logo if the site has none.',
    },
  },
  { title: 'GuestInfo' },
)

export const getGuestInfo = operation({
  method: 'GET',
  path: '/sites/{id}/guest-info',
  operationId: 'getGuestInfo',
  summary: 'Get the facts of a site that are printed on slips for guests',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: siteParams,
  answer: guestInfoSchema,
  handle: (ctx, { actor, params }) => getGuestInfoOf(ctx, actor, readSiteNumber(params.id)),
})

type GuestInfoContext = Parameters<typeof readGuestInfo>[0] & SettingsContext & MailServerContext

/** The facts of a site for a caller who may see it. */
export async function getGuestInfoOf(ctx: GuestInfoContext, actor: Actor, siteId: number) {
  const info = await readGuestInfo(ctx, actor, siteId)
  return toWire(ctx, info)
}

/** The facts for drawing slips, with the Wi-Fi password if the slips of this caller may have it. */
export async function getSlipInfoOf(ctx: GuestInfoContext, actor: Actor, siteId: number) {
  const info = await readSlipInfo(ctx, actor, siteId)
  return toWire(ctx, info)
}

export const updateGuestInfo = operation({
  method: 'PATCH',
  path: '/sites/{id}/guest-info',
  operationId: 'updateGuestInfo',
  summary: 'Change the facts of a site that are printed on slips for guests',
  scope: 'manage',
  role: 'manager',
  status: 200,
  params: siteParams,
  body: changeBody(
    {
      wifi_name: Type.Optional(fields.wifi_name),
      wifi_password: Type.Optional(
        Type.Unsafe<string | null>({
          ...textOrNull,
          writeOnly: true,
          description:
            'The password of the guest Wi-Fi: 8 to 63 printable ASCII characters, or 64 hexadecimal digits. It is encrypted. Null: none.',
        }),
      ),
      wifi_hidden: Type.Optional(fields.wifi_hidden),
      time_zone: Type.Optional(
        Type.Unsafe<string | null>({
          ...textOrNull,
          examples: ['Europe/Vienna'],
          description: 'A name of the IANA database. Null: the time zone of the service.',
        }),
      ),
      guest_languages: Type.Optional(fields.guest_languages),
      footer: Type.Optional(fields.footer),
      slip_lines: Type.Optional(
        Type.Unsafe<SlipLine[] | null>({
          ...slipLinesField,
          type: ['array', 'null'],
          description: `${linesText} Null: all lines in the usual order.`,
        }),
      ),
      slip_per_language: Type.Optional(fields.slip_per_language),
      slip_password_for_keys: Type.Optional(fields.slip_password_for_keys),
      room_days: Type.Optional(fields.room_days),
    },
    { title: 'GuestInfoChange', examples: [{ wifi_name: 'Guests', time_zone: 'Europe/Vienna' }] },
  ),
  answer: guestInfoSchema,
  async handle(ctx, { actor, params, body }) {
    const changed = await setGuestInfo(ctx, actor, readSiteNumber(params.id), {
      wifiName: body.wifi_name,
      wifiPassword: body.wifi_password,
      wifiHidden: body.wifi_hidden,
      timeZone: body.time_zone,
      guestLanguages: body.guest_languages,
      footer: body.footer,
      slipLines: body.slip_lines,
      slipPerLanguage: body.slip_per_language,
      slipPasswordForKeys: body.slip_password_for_keys,
      roomDays: body.room_days,
    })
    return toWire(ctx, changed)
  },
})

export const updateLogo = operation({
  method: 'PUT',
  path: '/sites/{id}/logo',
  operationId: 'updateLogo',
  summary: 'Upload the logo for slips: a PNG or JPEG of at most 256 KiB and 2,000 × 2,000 pixels',
  scope: 'manage',
  role: 'manager',
  status: 204,
  params: siteParams,
  upload: { types: ['image/png', 'image/jpeg'], maxBytes: maxLogoBytes, tooLarge: 'logo_too_large' },
  answer: Type.Void(),
  handle: ({ db }, { actor, params, body }) => setLogo(db, actor, readSiteNumber(params.id), body as unknown as Buffer),
})

export const getLogo = operation({
  method: 'GET',
  path: '/sites/{id}/logo',
  operationId: 'getLogo',
  summary: 'Get the logo of a site as it was uploaded',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: siteParams,
  answer: fileAnswer('image/png', 'image/jpeg'),
  async handle({ db }, { actor, params }) {
    const logo = await findLogo(db, readSiteNumber(params.id), limitingActorId(actor))
    if (!logo) throw new DomainError('not_found')
    return logo
  },
})

export const deleteLogo = operation({
  method: 'DELETE',
  path: '/sites/{id}/logo',
  operationId: 'deleteLogo',
  summary: 'Remove the logo of a site, if it has one',
  scope: 'manage',
  role: 'manager',
  status: 204,
  params: siteParams,
  answer: Type.Void(),
  handle: ({ db }, { actor, params }) => removeLogo(db, actor, readSiteNumber(params.id)),
})

async function toWire(
  ctx: SettingsContext & MailServerContext,
  info: GuestInfo,
): Promise<Static<typeof guestInfoSchema>> {
  const [house, canSendEmail] = await Promise.all([
    readHouse(ctx),
    findCanSendMail(ctx.db, ctx.fixedSettings, info.siteId),
  ])
  return {
    site_id: info.siteId,
    wifi_name: info.wifiName,
    wifi_password: info.wifiPassword,
    wifi_password_set: info.wifiPasswordSet,
    wifi_hidden: info.wifiHidden,
    time_zone: info.timeZone,
    time_zone_is_default: info.timeZoneIsDefault,
    guest_languages: info.guestLanguages,
    footer: info.footer,
    slip_lines: info.slipLines,
    slip_per_language: info.slipPerLanguage,
    slip_password_for_keys: info.slipPasswordForKeys,
    room_days: info.roomDays,
    logo_updated_at: isoOrNull(info.logoUpdatedAt),
    can_send_email: canSendEmail,
    house: houseToWire(house),
  }
}
