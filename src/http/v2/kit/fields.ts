import { type TProperties, Type } from 'typebox'
import { DomainError } from '#domain/errors.ts'
import { publicId, type SiteItem } from '#domain/public-id.ts'
import { maxSiteId } from '#domain/sites/sites.queries.ts'
import type { CheckedCertificate } from '#lib/certificate.ts'
import type { InvalidField } from '../../errors/field-errors.ts'

// Fields that several resources have: their schemas, and their conversion to and from the domain.

export const siteNumber = Type.Integer({ minimum: 1, maximum: maxSiteId })
/** Whether a text of a path or a query can be the number of a site. */
export function isSiteNumber(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= maxSiteId
}

export const count = Type.Integer({ minimum: 0 })

export const countOrNull = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0 })

export const time = Type.String({ format: 'date-time' })
export const timeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
export const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] })

/** The id of a thing that is stored by its UUID alone. */
export const uuidParams = Type.Object({
  id: Type.String({
    examples: ['019a3f5c-7d2e-7b41-9c60-3e8f1a2b4c5d'],
    description: 'The `id` from a list or a creation.',
  }),
})

/** A text that cannot be a UUID is answered like one that does not exist. */
export function readUuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new DomainError('not_found')
  return text.toLowerCase()
}

/** Text to search for. PostgreSQL cannot store NUL in a text. */
export const searchText = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' })

/** A voucher code as people type it, with or without spaces and hyphens. */
export const typedCode = Type.String({
  maxLength: 64,
  pattern: '^[ -]*[0-9A-Za-z][0-9A-Za-z -]*$',
  examples: ['48614-09510'],
})

export function withoutSeparators(code: string): string {
  return code.replace(/[ -]/g, '')
}

export function isoOrNull(date: Date | null): string | null {
  return date?.toISOString() ?? null
}

/** The key or person that made something. */
export const createdBy = Type.Object(
  {
    kind: Type.Unsafe<'key' | 'staff'>({ type: 'string', enum: ['key', 'staff'] }),
    id: Type.String({ format: 'uuid' }),
    name: Type.String({ description: 'The name of the key or person now.' }),
  },
  { title: 'CreatedBy', description: 'The key or person that created it.' },
)

/** The variable of the environment that sets the value of a setting. */
export const variableField = (name: string) => ({
  ...textOrNull,
  description: `\`${name}\` if this variable of the environment sets the value, which then cannot be changed here. Otherwise null.`,
})

/** The certificate that a server showed in a test. */
export const certificateFields = {
  fingerprint: Type.String({
    description: 'SHA-256 of the certificate. Send it as `certificate_pin` to trust the certificate.',
  }),
  subject: Type.String(),
  valid_until: timeOrNull,
  trust: Type.Unsafe<CheckedCertificate['trust']>({ type: 'string', enum: ['public', 'pinned', 'untrusted'] }),
}

export function certificateToWire({ fingerprint, subject, validTo, trust }: CheckedCertificate) {
  return { fingerprint, subject, valid_until: isoOrNull(validTo), trust }
}

export { publicId, type SiteItem }

const publicIdPattern = /^([1-9]\d{0,9})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Undefined if the text cannot be a public id. */
export function readPublicId(text: string): SiteItem | undefined {
  const [, site, id] = publicIdPattern.exec(text) ?? []
  if (id === undefined || Number(site) > maxSiteId) return undefined
  return { siteId: Number(site), id }
}

/** The body of a PATCH. All fields are optional, and at least one is required. Fields that are left out stay as they are. */
export function changeBody<Fields extends TProperties>(
  fields: Fields,
  { rule = () => [], ...options }: { title: string; examples: [object]; rule?: (body: object) => InvalidField[] },
) {
  const names = Object.keys(fields)
  return Type.Object(fields, {
    additionalProperties: false,
    minProperties: 1,
    rule: (body: object): InvalidField[] =>
      Object.keys(body).length > 0
        ? rule(body)
        : [{ field: '', code: 'nothing_to_change', allowed: { fields: names } }],
    description: 'The new values. Fields that are left out stay as they are.',
    ...options,
  })
}
