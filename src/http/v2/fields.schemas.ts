import { Type } from 'typebox'
import { maxSiteId } from '#domain/sites/sites.queries.ts'

export const siteNumber = Type.Integer({ minimum: 1, maximum: maxSiteId })

export const time = Type.String({ format: 'date-time' })
export const timeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
export const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const uuidOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' })

/** PostgreSQL keeps no NUL in a text. */
export const searchText = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' })

/** As people type it, with spaces and hyphens or without. */
export const typedCode = Type.String({
  maxLength: 64,
  pattern: '^[ -]*[0-9A-Za-z][0-9A-Za-z -]*$',
  examples: ['48614-09510'],
})

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(
    Type.String({ maxLength: 200, description: 'next_cursor of the page before. It holds for the same filters.' }),
  ),
}

export const nextCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'For the next page; null on the last one.',
})

export const problemSchema = Type.Object(
  {
    error: Type.String({ pattern: '^[a-z_]+$' }),
    message: Type.String({ minLength: 1, description: 'German, or English by Accept-Language.' }),
    request_id: Type.String({ format: 'uuid' }),
  },
  { title: 'Problem' },
)
