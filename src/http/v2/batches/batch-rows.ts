import { type Static, Type } from 'typebox'
import type { RowState } from '#domain/batches/batch.ts'
import { type BatchRow, listBatchRows as listRecorded } from '#domain/batches/batch-rows.queries.ts'
import type { MessageState } from '#domain/messages/message.ts'
import { formattedCode } from '#drivers/driver.ts'
import { count, isoOrNull, publicId, textOrNull, timeOrNull } from '../kit/fields.ts'
import { separatorField } from '../kit/files/csv.ts'
import { exportCsv, tooManyExports } from '../kit/files/export-csv.ts'
import { operation } from '../kit/operation.ts'
import { cutPage, nextCursor, numberCursor, pageQuery, readNumberCursor } from '../kit/pages.ts'
import { messageStates } from '../messages/message-fields.ts'
import { batchParams, findVisibleBatch, sizeOf } from './batches.ts'

const outcomes = {
  waiting: 'waiting',
  sent: 'under_way',
  made: 'made',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<RowState, string>

const batchRowSchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    name: Type.String(),
    outcome: Type.Unsafe<(typeof outcomes)[RowState]>({ type: 'string', enum: Object.values(outcomes) }),
    failure: {
      ...textOrNull,
      description:
        'Why there is no voucher: unreachable, insecure, sign_in, forbidden, rejected, missing, no_voucher, valid_until_passed, limit_reached, site_inactive or key_revoked.',
    },
    voucher_id: textOrNull,
    code: textOrNull,
    formatted_code: textOrNull,
    reference: textOrNull,
    max_uses: count,
    expire_minutes: { ...count, description: 'As for the batch, or the minutes of this row.' },
    valid_until: timeOrNull,
    message_state: Type.Unsafe<MessageState | null>({
      type: ['string', 'null'],
      enum: [...messageStates, null],
      description: 'The state of the message of the row. Null without a message, and a month after its outcome.',
    }),
  },
  { title: 'BatchRow' },
)

export const listBatchRows = operation({
  method: 'GET',
  path: '/batches/{id}/rows',
  operationId: 'listBatchRows',
  summary: 'List the rows of a batch by number, with the outcome of each',
  scope: 'read',
  role: 'desk',
  status: 200,
  params: batchParams,
  query: Type.Object(pageQuery, { additionalProperties: false }),
  answer: Type.Object({ rows: Type.Array(batchRowSchema), next_cursor: nextCursor }),
  async handle({ db }, { actor, params, query: { limit = 50, cursor } }) {
    const batch = await findVisibleBatch(db, actor, params.id)
    const found = await listRecorded(db, batch, { after: readNumberCursor(cursor), limit: limit + 1 })
    const { rows, next_cursor } = cutPage(found, limit, ({ number }) => numberCursor(number))
    return { rows: rows.map((row) => rowToWire(batch.siteId, row)), next_cursor }
  },
})

export const exportBatch = operation({
  method: 'GET',
  path: '/batches/{id}/vouchers.csv',
  operationId: 'exportBatch',
  summary: 'Download the codes of a batch as CSV, for a spreadsheet or a label printer',
  scope: 'read',
  role: 'desk',
  status: 200,
  tooMany: tooManyExports,
  params: batchParams,
  query: Type.Object({ separator: separatorField }, { additionalProperties: false }),
  answer: Type.String(),
  csvFileName: ({ id }) => `vouchers-${id}.csv`,
  handle: ({ exports }, call) =>
    exportCsv(exports, call, {
      columns: ['number', 'name', 'code', 'outcome', 'failure', 'reference', 'valid_until'],
      separator: call.query.separator,
      async open(db) {
        const batch = await findVisibleBatch(db, call.actor, call.params.id)
        return {
          keys: Array.from({ length: sizeOf(batch) }, (_, i) => i + 1),
          async listRows([first = 1, ...others]: number[]) {
            const rows = await listRecorded(db, batch, { after: first - 1, limit: 1 + others.length })
            return rows.map((row) => {
              const { number, name, formatted_code, outcome, failure, reference, valid_until } = rowToWire(
                batch.siteId,
                row,
              )
              return [number, name, formatted_code, outcome, failure, reference, valid_until]
            })
          },
        }
      },
    }),
})

function rowToWire(siteId: number, row: BatchRow): Static<typeof batchRowSchema> {
  const { number, name, state, failure, voucherId, code, reference, maxUses, expireMinutes, validUntil, messageState } =
    row
  return {
    number,
    name,
    outcome: outcomes[state],
    failure,
    voucher_id: voucherId === null ? null : publicId({ siteId, id: voucherId }),
    code,
    formatted_code: code === null ? null : formattedCode(code),
    reference,
    max_uses: maxUses,
    expire_minutes: expireMinutes,
    valid_until: isoOrNull(validUntil),
    message_state: messageState,
  }
}
