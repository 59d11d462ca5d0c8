import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { Voucher } from '../../../../../client/voucher-api.generated.ts'
import { vouchersByNameQuery } from '../../../queries/vouchers.ts'
import { placeOfWord } from './found-words.ts'

const shortestText = 2
const pauseMs = 100

/** More vouchers are not counted by the service. */
export const mostCounted = 100

type FoundGuests = {
  vouchers: Voucher[]
  more: number
  /** The text that was searched for; undefined while a newer text is searched for. */
  searched: string | undefined
}

/** The vouchers of a site whose name, or a later word in it, begins with the text. Until the answer arrives, those of the last answer that still fit. */
export function useFoundGuests(siteId: number, name: string, isOn: boolean): FoundGuests {
  const typed = name.trim()
  const [paused] = useDebouncedValue(typed, pauseMs)
  const isLongEnough = isOn && typed.length >= shortestText
  const { data, isPlaceholderData } = useQuery({
    ...vouchersByNameQuery(siteId, paused),
    enabled: isLongEnough && paused.length >= shortestText,
  })
  if (!isLongEnough || !data) return { vouchers: [], more: 0, searched: undefined }
  if (!isPlaceholderData && paused === typed) return { ...data, searched: typed }
  const fits = (voucher: Voucher) => placeOfWord(voucher.name, typed) >= 0
  return { vouchers: data.vouchers.filter(fits), more: 0, searched: undefined }
}
