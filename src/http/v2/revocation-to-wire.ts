import type { Static } from 'typebox'
import type { Revocation, RevocationRow } from '#domain/withdrawals/revocations.queries.ts'
import { publicId } from './public-id.ts'
import type { revocationRowPage, revocationSchema } from './revocations.schemas.ts'

export function revocationToWire(revocation: Revocation): Static<typeof revocationSchema> {
  const { id, createdAt, total, pending, revoked, ended, failed } = revocation
  const state = pending > 0 ? 'running' : 'done'
  return { id, created_at: createdAt.toISOString(), state, total, pending, revoked, ended, failed }
}

export function revocationRowToWire(row: RevocationRow): Static<typeof revocationRowPage>['rows'][0] {
  return {
    voucher_id: publicId({ siteId: row.siteId, id: row.voucherId }),
    outcome: row.outcome ?? 'pending',
    failure: row.failure,
    settled_at: row.settledAt?.toISOString() ?? null,
  }
}
