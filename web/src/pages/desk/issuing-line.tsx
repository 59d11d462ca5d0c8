import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { DayLimit } from '../../../../client/voucher-api.generated.ts'
import { lazyPart } from '../../new-version.tsx'
import { issuingQuery } from '../../queries/issuing.ts'

/** A desk without limits does not load it. */
const DayLimitWords = lazyPart(async () => (await import('./day-limit/day-limit-words.tsx')).DayLimitWords)

type Props = { siteId: number; timeZone: string }

/** How many vouchers can still be created today, if there is a limit. */
export function IssuingLine({ siteId, timeZone }: Props) {
  const { data } = useQuery(issuingQuery(siteId))
  const lowest = lowestOf(data?.day_limits ?? [])
  return (
    <Text role="status" fz={13.5} c={lowest?.left === 0 ? 'var(--vs-warn-text)' : 'dimmed'} mt={lowest ? 'sm' : 0}>
      <Suspense>{lowest && <DayLimitWords limit={lowest} timeZone={timeZone} />}</Suspense>
    </Text>
  )
}

/** The limit with the fewest vouchers left; of two that are reached, the one that is reached longer. */
function lowestOf(limits: DayLimit[]): DayLimit | undefined {
  return limits.toSorted((a, b) => a.left - b.left || b.until.localeCompare(a.until))[0]
}

/** The longest duration that the limits of the person and the site allow; null if there is none, or if it is not known yet. */
export function useLongestMinutes(siteId: number): number | null {
  return useQuery(issuingQuery(siteId)).data?.longest_minutes ?? null
}
