import type { Voucher } from '../../../client/voucher-api.generated.ts'
import { isIdList, storedValue } from '../stored-value.ts'
import { readPrintChoice } from './print-choice.ts'

/** Later than this, the guest has left, or somebody has printed the slip by hand. */
const soonMs = 5 * 60_000

/** A new voucher, and when its request was sent. */
export type MadeVoucher = { voucher: Voucher; startedAt: number }

/** The voucher is claimed even if this computer does not print after creating, so switching it on prints nothing by itself. */
export function isToPrint({ voucher, startedAt }: MadeVoucher): boolean {
  const isFirst = claimFirstShowing(voucher.id, localStorage)
  return isFirst && readPrintChoice().afterCreating && Date.now() - startedAt < soonMs
}

const keptIds = 100

/**
 * True once for each new voucher in this browser, whichever tab shows it. A reload and a second tab get false. Without a storage
 * it is always false, so that nothing can be printed twice.
 */
export function claimFirstShowing(id: string, storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): boolean {
  const shown = storedValue({ storage, key: 'vs.print.shown', version: 1, isValid: isIdList })
  const before = shown.read() ?? []
  if (before.includes(id)) return false
  shown.write([id, ...before].slice(0, keptIds))
  return shown.read()?.[0] === id
}
