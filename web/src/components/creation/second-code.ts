import { useNavigate } from '@tanstack/react-router'
import type { GuestInfo, Voucher } from '../../../../client/voucher-api.generated.ts'
import { qosInputOf } from '../voucher/qos-input.ts'
import type { WallTime } from '../voucher/zoned-time.ts'
import { custom, type DeskInput, limitsOf, toRequest } from './desk-input.ts'
import { useDesk } from './use-desk.ts'

/** A second voucher for the guest of this one: the same name and limits, valid until this time. */
export function secondCodeInput(voucher: Voucher, until: WallTime, timeZone: string): DeskInput {
  const { name, max_uses: devices, qos, reference } = voucher
  return {
    name,
    choice: custom,
    limits: {
      ...limitsOf(undefined, timeZone),
      unit: 'until',
      until,
      devices,
      ...qosInputOf(qos),
      reference: reference ?? '',
    },
  }
}

/**
 * Creates a second code from another page. The desk sends the request, keeps its Idempotency-Key until the outcome is known, and
 * shows the code, so it is opened.
 */
export function useSecondCode() {
  const { store } = useDesk()
  const navigate = useNavigate()
  return (voucher: Voucher, until: WallTime, guestInfo: GuestInfo) => {
    const input = secondCodeInput(voucher, until, guestInfo.time_zone)
    store.next()
    store.submit(toRequest(input, guestInfo), input)
    void navigate({ to: '/desk', search: { site: voucher.site_id } })
  }
}
