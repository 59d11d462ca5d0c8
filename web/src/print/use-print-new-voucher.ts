import { useEffect } from 'react'
import type { GuestInfo } from '../../../client/voucher-api.generated.ts'
import type { MadeVoucher } from './first-showing.ts'
import { usePrint } from './use-print.ts'

/** Prints a voucher when the desk shows it for the first time, if this computer prints after creating. */
export function usePrintNewVoucher(
  made: MadeVoucher | undefined,
  site: { id: number; name: string },
  guestInfo: GuestInfo,
): void {
  const { print } = usePrint()
  const id = made?.voucher.id
  useEffect(() => {
    // Loaded here, because the first page of the desk must stay small.
    if (made)
      void import('./first-showing.ts').then(
        ({ isToPrint }) => isToPrint(made) && print(() => ({ vouchers: [made.voucher], site, guestInfo })),
      )
  }, [id]) // only another voucher is a reason to print
}
