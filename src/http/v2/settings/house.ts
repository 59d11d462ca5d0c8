import { type Static, Type } from 'typebox'
import type { House, HouseLogo } from '#domain/settings/house.ts'
import { textOrNull } from '../kit/fields.ts'

const logoSchema = Type.Object({
  url: Type.String({ examples: ['/house-logo?v=1f0c8a2b3d4e5f60'], description: 'Anybody may load it.' }),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
})

/** The part of the house that everybody may see, also before the sign-in. */
export const houseSchema = Type.Object(
  {
    name: {
      ...textOrNull,
      examples: ['Hotel Goldener Adler'],
      description: 'The name of the house. Null if none was set.',
    },
    logo: Type.Union([logoSchema, Type.Null()], { description: 'The logo of the house. Null if there is none.' }),
  },
  { title: 'House', description: 'The house that runs the service.' },
)

export function houseToWire({ name, logo }: House): Static<typeof houseSchema> {
  return { name, logo: logo && { url: houseLogoUrl(logo), width: logo.width, height: logo.height } }
}

/** The path under which `registerHouse` serves the logo. The version lets browsers keep it. */
export const houseLogoPath = '/house-logo'

export function houseLogoUrl({ version }: HouseLogo): string {
  return `${houseLogoPath}?v=${version}`
}
