import type { Static } from 'typebox'
import type { Batch, RowState } from '#domain/batches/batch.ts'
import type { BatchRow } from '#domain/batches/batch-rows.queries.ts'
import { formattedCode } from '#lib/formatted-code.ts'
import type { batchRowPage, batchSchema } from './batches.schemas.ts'
import { publicId } from './public-id.ts'
import { isoOrNull } from './time.ts'

export function batchToWire(batch: Batch): Static<typeof batchSchema> {
  const { limits, rows } = batch
  return {
    id: publicId(batch),
    site_id: batch.siteId,
    state: stateOf(batch),
    size: Object.values(rows).reduce((sum, count) => sum + count, 0),
    waiting: rows.waiting,
    under_way: rows.sent,
    made: rows.made,
    failed: rows.failed,
    cancelled: rows.cancelled,
    reference: batch.reference,
    max_uses: limits.maxUses,
    expire_minutes: limits.expireMinutes,
    qos: { down_kbps: limits.downKbps, up_kbps: limits.upKbps, quota_mb: limits.quotaMb },
    valid_until: isoOrNull(batch.validUntil),
    created_at: batch.createdAt.toISOString(),
    held_up_since: isoOrNull(batch.heldUpSince),
    finished_at: isoOrNull(batch.finishedAt),
    source: batch.apiKeyId,
  }
}

function stateOf({ finishedAt, rows }: Batch): 'running' | 'done' | 'cancelled' {
  if (finishedAt === null) return 'running'
  return rows.cancelled > 0 ? 'cancelled' : 'done'
}

type WireRow = Static<typeof batchRowPage>['rows'][number]

const outcomes: Record<RowState, WireRow['outcome']> = {
  waiting: 'waiting',
  sent: 'under_way',
  made: 'made',
  failed: 'failed',
  cancelled: 'cancelled',
}

export function batchRowToWire(siteId: number, row: BatchRow): WireRow {
  const { number, name, state, failure, voucherId, code } = row
  return {
    number,
    name,
    outcome: outcomes[state],
    failure,
    voucher_id: voucherId === null ? null : publicId({ siteId, id: voucherId }),
    code,
    formatted_code: code === null ? null : formattedCode(code),
  }
}
