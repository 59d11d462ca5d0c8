import type { Queryable } from '#db/database.ts'
import { findAuditRetention } from '#domain/audit/audit.queries.ts'
import type { Config } from '../../config.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning } = findingsOf('retention')

/** Says how long data is kept with these settings. docs/operating.md lists the data that is always kept for a fixed time. */
export function checkRetention({ retainVouchersDays }: Config): Finding {
  return ok(
    retainVouchersDays === undefined
      ? 'RETAIN_VOUCHERS_DAYS is not set: vouchers, batches and revocations are kept for ever.'
      : `Vouchers are deleted ${retainVouchersDays} days after their end (RETAIN_VOUCHERS_DAYS), and batches and revocations ${retainVouchersDays} days after they are done.`,
  )
}

/** The owner of the tables has stored how long the audit is kept. The setting of another process has no effect. */
export async function checkAuditRetention(db: Queryable, { retainAuditDays }: Config): Promise<Finding> {
  const days = await findAuditRetention(db)
  const kept = days === null ? 'kept for ever' : `deleted after ${days} days`
  if (retainAuditDays !== undefined && retainAuditDays !== days)
    return warning(
      `RETAIN_AUDIT_DAYS is ${retainAuditDays} here, but entries of the audit are ${kept}.`,
      'Run `voucher-service migrate` with this setting, as the owner of the tables.',
    )
  return ok(`Entries of the audit are ${kept} (RETAIN_AUDIT_DAYS).`)
}
