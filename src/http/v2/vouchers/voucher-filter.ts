import { type Static, type TObject, Type } from 'typebox'
import type { VoucherFilter, VoucherSource } from '#domain/record/voucher-filter.ts'
import type { InvalidField } from '../../errors/field-errors.ts'
import { readPublicId, type SiteItem, searchText, time, typedCode, withoutSeparators } from '../kit/fields.ts'

/** The filters of vouchers. Lists and revocations share them, so that a revocation affects what the list showed. */
export const filterFields = {
  text: Type.Optional({
    ...searchText,
    description: 'Only vouchers with this text in the name; upper and lower case are the same.',
  }),
  reference: Type.Optional({ ...searchText, description: 'Only vouchers with exactly this reference.' }),
  created_by: Type.Optional(
    Type.String({ format: 'uuid', description: 'Only vouchers that this key or person created.' }),
  ),
  source: Type.Optional(
    Type.Unsafe<VoucherSource>({
      type: 'string',
      enum: ['key', 'staff', 'controller'],
      description: 'Only vouchers that were created by any API key, by any person, or on the controller itself.',
    }),
  ),
  unused: Type.Optional(
    Type.Unsafe<true>({
      type: 'boolean',
      enum: [true],
      description: 'Only vouchers that nobody has used, as far as the record shows.',
    }),
  ),
  batch_id: Type.Optional(
    Type.String({ maxLength: 60, description: 'Only vouchers of this batch.', rule: checkPublicId }),
  ),
  created_after: Type.Optional({
    ...time,
    description: 'Only vouchers that were created after this time, not exactly at it.',
  }),
  created_before: Type.Optional({
    ...time,
    description: 'Only vouchers that were created before this time, not exactly at it.',
  }),
  code: Type.Optional({ ...typedCode, description: 'Only vouchers whose code begins with this text.' }),
}

type RequestedFilter = Static<TObject<typeof filterFields>>

/** The filter without site and status, which are read separately. */
export function readVoucherFilter(requested: RequestedFilter): Omit<VoucherFilter, 'now'> {
  const { text, reference, created_by, source, unused, created_after, created_before, code } = requested
  return {
    nameContains: text,
    reference,
    createdBy: created_by,
    source,
    unused,
    batchId: readBatchId(requested)?.id,
    createdAfter: created_after === undefined ? undefined : new Date(created_after),
    createdBefore: created_before === undefined ? undefined : new Date(created_before),
    codePrefix: code === undefined ? undefined : withoutSeparators(code),
  }
}

/** The sites that the request names, otherwise the site of its batch. */
export function readFilterSites(requested: RequestedFilter & { site_id?: number[] }): number[] | undefined {
  const batch = readBatchId(requested)
  return requested.site_id ?? (batch && [batch.siteId])
}

function readBatchId({ batch_id }: RequestedFilter): SiteItem | undefined {
  return batch_id === undefined ? undefined : readPublicId(batch_id)
}

export function checkPublicId(text: string): InvalidField[] {
  return readPublicId(text) ? [] : [{ field: '', code: 'bad_format' }]
}
