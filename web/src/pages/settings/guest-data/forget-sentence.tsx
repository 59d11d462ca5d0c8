import { Skeleton, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { GuestDataCounts, GuestDataPreview } from '../../../../../client/voucher-api.generated.ts'
import { useErrorTexts } from '../../../components/state-pages.tsx'
import { formatNumber } from '../../../formats.ts'
import { guestDataPreviewQuery } from '../../../queries/guest-data.ts'

/** More guests than this are probably a mistake. */
const manyGuests = 1_000

type Props = {
  /** The values as they stand on the page. Undefined while they are not valid. */
  wanted: GuestDataPreview | undefined
  /** The days that changed, and those that are saved. */
  days: number | null
  before: number | null
}

/** Says what the next run would do with values that are not saved yet. The service counts it. */
export function ForgetSentence({ wanted, days, before }: Props) {
  const { t } = useTranslation()
  const [settled] = useDebouncedValue(wanted, 300)
  const { data, error } = useQuery({ ...guestDataPreviewQuery(settled ?? {}), enabled: settled !== undefined })
  if (!wanted) return null
  if (error) return <Failure error={error} />
  if (!data) return <Skeleton h={20} />
  const isMuch = data.guests > manyGuests
  return (
    <Text fz={13.5} {...(isMuch && { c: 'var(--vs-bad-text)', fw: 500 })}>
      {sentenceOf(t, data, { days, before })}
    </Text>
  )
}

function Failure({ error }: { error: unknown }) {
  const { text } = useErrorTexts(error)
  return (
    <Text fz={13.5} c="var(--vs-bad-text)">
      {text}
    </Text>
  )
}

/** "With 30 instead of 90 days, the next run forgets 214 guests of 6 sites. It revokes 12 unused vouchers." */
function sentenceOf(t: TFunction, counts: GuestDataCounts, { days, before }: Omit<Props, 'wanted'>): string {
  const { guests, sites, revoked, has_more: isMore } = counts
  if (days === null && guests === 0) return t('guest-data.nobody-any-more')
  const number = formatNumber(guests)
  const who =
    guests === 0
      ? t('guest-data.nobody')
      : t(isMore ? 'guest-data.more-guests' : 'guest-data.guests', {
          count: guests,
          number,
          sites: t('guest-data.of-sites', { count: sites }),
        })
  const isOther = days !== null && before !== null && days !== before
  return [
    isOther ? t('guest-data.instead', { days, before, who }) : t('guest-data.next-run', { who }),
    revoked > 0 && t('guest-data.revokes', { count: revoked, number: formatNumber(revoked) }),
  ]
    .filter(Boolean)
    .join(' ')
}
