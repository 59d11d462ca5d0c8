import type { Config } from '../../config.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok } = findingsOf('retention')

/** Says how long data is kept with these settings. docs/operating.md lists the data that is always kept for a fixed time. */
export function checkRetention({ retainVouchersDays, retainAuditDays }: Config): Finding[] {
  return [
    ok(
      retainVouchersDays === undefined
        ? 'RETAIN_VOUCHERS_DAYS is not set: vouchers, batches and revocations are kept for ever.'
        : `Vouchers are deleted ${retainVouchersDays} days after their end (RETAIN_VOUCHERS_DAYS), and batches and revocations ${retainVouchersDays} days after they are done.`,
    ),
    ok(
      retainAuditDays === undefined
        ? 'RETAIN_AUDIT_DAYS is not set: the audit is kept for ever.'
        : `Entries of the audit are deleted after ${retainAuditDays} days (RETAIN_AUDIT_DAYS).`,
    ),
  ]
}
