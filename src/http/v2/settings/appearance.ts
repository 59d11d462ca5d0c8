import { type Static, Type } from 'typebox'
import {
  type House,
  maxHouseNameLength,
  readHouse,
  removeHouseLogo,
  type SettingsContext,
  setHouse,
  setHouseLogo,
  variableOf,
} from '#domain/settings/house.ts'
import { maxLogoBytes } from '#domain/sites/logo.ts'
import { accentColors, accentStyle, mainColors } from '#lib/accent-colors.ts'
import { changeBody, textOrNull, variableField } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'
import { houseSchema, houseToWire } from './house.ts'

const hexColor = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#7a1f2b'] })

const pageColors = (page: string) =>
  Type.Object(
    { button: hexColor, text: hexColor, tint: hexColor },
    { description: `On a ${page} page: buttons with white text, words, and the background of chosen things.` },
  )

const accentColorsSchema = Type.Object(
  {
    accent_color: hexColor,
    adjusted: Type.Boolean({
      description: 'True if white text on the colour could not be read, so that a light page uses a darker one.',
    }),
    light: pageColors('light'),
    dark: pageColors('dark'),
    style: Type.String({ description: 'The CSS that pages of the web app contain.' }),
  },
  { title: 'AccentColors', description: 'The colours that the web app uses, with a contrast of at least 4.5 : 1.' },
)

const appearanceSchema = Type.Object(
  {
    ...houseSchema.properties,
    colors: Type.Union([accentColorsSchema, Type.Null()], {
      description: 'The accent colour and what the web app makes of it. Null if none was set.',
    }),
    set_by: Type.Object(
      { name: variableField('HOUSE_NAME'), accent_color: variableField('ACCENT_COLOR') },
      { description: 'The variables of the environment that set values.' },
    ),
  },
  { title: 'Appearance' },
)

export const getAppearance = operation({
  method: 'GET',
  path: '/settings/appearance',
  operationId: 'getAppearance',
  summary: 'Get the name, the logo and the accent colour of the house',
  role: 'admin',
  status: 200,
  answer: appearanceSchema,
  handle: async (ctx) => toWire(ctx, await readHouse(ctx)),
})

export const updateAppearance = operation({
  method: 'PATCH',
  path: '/settings/appearance',
  operationId: 'updateAppearance',
  summary: 'Change the name or the accent colour of the house',
  role: 'admin',
  status: 200,
  conflict: 'A variable of the environment sets the value.',
  body: changeBody(
    {
      name: Type.Optional(
        Type.Unsafe<string | null>({
          ...textOrNull,
          maxLength: maxHouseNameLength,
          examples: ['Hotel Goldener Adler'],
          description: 'The name of the house, in one line. Null: the house has none.',
        }),
      ),
      accent_color: Type.Optional(
        Type.Unsafe<string | null>({
          ...hexColor,
          type: ['string', 'null'],
          description: 'A colour such as `#7a1f2b`. Null: the one of the Voucher Service.',
        }),
      ),
    },
    { title: 'AppearanceChange', examples: [{ name: 'Hotel Goldener Adler', accent_color: '#7a1f2b' }] },
  ),
  answer: appearanceSchema,
  handle: async (ctx, { actor, body: { name, accent_color: accentColor } }) =>
    toWire(ctx, await setHouse(ctx, actor, { name, accentColor })),
})

export const getAccentColors = operation({
  method: 'GET',
  path: '/settings/appearance/accent-colors',
  operationId: 'getAccentColors',
  summary: 'Get the colours that the web app would use for an accent colour, without changing anything',
  role: 'admin',
  status: 200,
  query: Type.Object({ accent_color: hexColor }, { additionalProperties: false }),
  answer: accentColorsSchema,
  handle: async (_ctx, { query: { accent_color: color } }) => colorsToWire(color.toLowerCase()),
})

export const updateHouseLogo = operation({
  method: 'PUT',
  path: '/settings/appearance/logo',
  operationId: 'updateHouseLogo',
  summary: 'Upload the logo of the house: a PNG or JPEG of at most 256 KiB and 2,000 × 2,000 pixels',
  role: 'admin',
  status: 204,
  upload: { types: ['image/png', 'image/jpeg'], maxBytes: maxLogoBytes, tooLarge: 'logo_too_large' },
  answer: Type.Void(),
  handle: ({ db }, { actor, body }) => setHouseLogo(db, actor, body as unknown as Buffer),
})

export const deleteHouseLogo = operation({
  method: 'DELETE',
  path: '/settings/appearance/logo',
  operationId: 'deleteHouseLogo',
  summary: 'Remove the logo of the house, if there is one',
  role: 'admin',
  status: 204,
  answer: Type.Void(),
  handle: ({ db }, { actor }) => removeHouseLogo(db, actor),
})

function toWire(
  { fixedSettings }: Pick<SettingsContext, 'fixedSettings'>,
  house: House,
): Static<typeof appearanceSchema> {
  return {
    ...houseToWire(house),
    colors: house.accentColor === null ? null : colorsToWire(house.accentColor),
    set_by: { name: variableOf(fixedSettings, 'house_name'), accent_color: variableOf(fixedSettings, 'accent_color') },
  }
}

function colorsToWire(accent: string): Static<typeof accentColorsSchema> {
  const colors = accentColors(accent)
  const main = mainColors(colors)
  return { accent_color: accent, adjusted: main.light.button !== accent, ...main, style: accentStyle(colors) }
}
