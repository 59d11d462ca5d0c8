import { type Static, Type } from 'typebox'
import { maxRateLimit, scopes } from '#domain/keys/key.ts'
import { type DailyUsage, readDailyUsage, usageDays } from '#domain/keys/key-usage.ts'
import type { ApiKeyWithSites } from '#domain/keys/keys.queries.ts'
import { count, isoOrNull, siteNumber, time, timeOrNull } from '../kit/fields.ts'
import { issuingFields, issuingToWire } from '../kit/issuing-fields.ts'
import type { V2Context } from '../kit/operation.ts'

export const keyScope = Type.Enum([...scopes], { description: 'Each scope includes those before it.' })

/** The scope and the sites of a key. */
export const keyRights = {
  scope: keyScope,
  all_sites: Type.Boolean({ description: 'True if the key may use all sites, including later ones.' }),
  site_ids: Type.Array(siteNumber, { description: 'The sites of a limited key. Empty if `all_sites` is true.' }),
}

export const requestsPerMinute = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 1,
  maximum: maxRateLimit,
  description: 'Null: the key has no limit.',
})

const prefix = Type.String({
  examples: ['vsk_1a2B3c4D'],
  description: 'The first characters of the secret. They are not secret, and the log shows them.',
})

const perDay = (description: string) =>
  Type.Array(count, { minItems: usageDays, maxItems: usageDays, description, examples: [Array(usageDays).fill(12)] })

const keyFields = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String({ examples: ['Check-in'] }),
  prefix,
  ...keyRights,
  requests_per_minute: requestsPerMinute,
  ...issuingFields,
  expires_at: { ...timeOrNull, description: 'When the key stops working; null if it does not expire.' },
  revoked_at: timeOrNull,
  last_used_at: { ...timeOrNull, description: 'When the key was last used, at most 10 seconds behind.' },
  created_at: time,
  old_secrets: Type.Array(
    Type.Object({ prefix, valid_until: time, last_used_at: timeOrNull }, { title: 'OldSecret' }),
    { description: 'Old secrets of the key that still work.' },
  ),
  usage: Type.Object(
    {
      first_day: Type.String({ format: 'date', examples: ['2026-11-03'] }),
      requests: perDay(`Requests on each of ${usageDays} days. The last day is today.`),
      limited: perDay('How many requests of each day were answered with 429.'),
    },
    { title: 'KeyUsage', description: 'Requests per day, in the time zone of the service, at most 10 seconds behind.' },
  ),
}

export const keySchema = Type.Object(keyFields, { title: 'Key' })

export const keyWithSecretSchema = Type.Object(
  {
    ...keyFields,
    secret: Type.String({
      examples: ['vsk_1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o6P7q8R9s0T1u2V3w'],
      description: 'The whole key. Only this answer contains it.',
    }),
  },
  { title: 'KeyWithSecret' },
)

type WireKey = Static<typeof keySchema>

/** Adds the usage of the last days to keys. */
export async function keysToWire(ctx: V2Context, now: Date, keys: ApiKeyWithSites[]): Promise<WireKey[]> {
  const usageOf = await readDailyUsage(
    ctx,
    keys.map(({ id }) => id),
    now,
  )
  return keys.map((key) => keyToWire(key, usageOf(key.id)))
}

export async function oneKeyToWire(ctx: V2Context, now: Date, key: ApiKeyWithSites): Promise<WireKey> {
  return (await keysToWire(ctx, now, [key]))[0] as WireKey
}

function keyToWire(key: ApiKeyWithSites, usage: DailyUsage): WireKey {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scope: key.scope,
    all_sites: key.allSites,
    site_ids: key.allSites ? [] : key.siteIds,
    requests_per_minute: key.rateLimit === 0 ? null : key.rateLimit,
    ...issuingToWire(key),
    expires_at: isoOrNull(key.expiresAt),
    revoked_at: isoOrNull(key.revokedAt),
    last_used_at: isoOrNull(key.lastUsedAt),
    created_at: key.createdAt.toISOString(),
    old_secrets: key.oldSecrets.map((old) => ({
      prefix: old.prefix,
      valid_until: old.validUntil.toISOString(),
      last_used_at: isoOrNull(old.lastUsedAt),
    })),
    usage: { first_day: usage.firstDay, requests: usage.requests, limited: usage.limited },
  }
}
