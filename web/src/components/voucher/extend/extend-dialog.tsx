import { Suspense, useState } from 'react'
import type { GuestInfo, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { lazyPart } from '../../../new-version.tsx'
import type { WallTime } from '../zoned-time.ts'

export type ExtendProps = {
  voucher: Voucher
  site: { id: number; name: string }
  guestInfo: GuestInfo
  onClose: () => void
  /** Creates a second voucher for the guest of this one, valid from now until this time in the time zone of the site. */
  onSecondCode: (voucher: Voucher, until: WallTime) => void
}

const ExtendForm = lazyPart(async () => (await import('./extend-form.tsx')).ExtendForm)
const EndForm = lazyPart(async () => (await import('./end-form.tsx')).EndForm)

/**
 * The end of a voucher. *Extend* only makes it later. If the controller would end the code before that, the guest gets a second
 * code. *End earlier…* and *End by…* are a dialog of their own.
 */
export function ExtendDialog(props: ExtendProps) {
  const [ending, setEnding] = useState<{ until: WallTime | undefined }>()
  return (
    <Suspense>
      {ending ? (
        <EndForm {...props} until={ending.until} />
      ) : (
        <ExtendForm {...props} onEnd={(until) => setEnding({ until })} />
      )}
    </Suspense>
  )
}

/** The dialog for the rows of a list: `extend` opens it for a voucher. Show *Extend…* only where `hasEndToExtend`. */
export function useExtend(props: Omit<ExtendProps, 'voucher' | 'onClose'>) {
  const [voucher, setVoucher] = useState<Voucher>()
  const dialog = voucher && (
    <ExtendDialog key={voucher.id} {...props} voucher={voucher} onClose={() => setVoucher(undefined)} />
  )
  return { extend: setVoucher, extendDialog: dialog }
}
