import { useTranslation } from 'react-i18next'
import type { Key } from '../../../../client/voucher-api.generated.ts'
import classes from './keys.module.css'
import { sumOf } from './keys-data.ts'

/** Requests of 14 days, scaled to the busiest day of this key. The details of the key have the numbers. */
export function UsageBars({ apiKey }: { apiKey: Key }) {
  const { t } = useTranslation()
  const { requests } = apiKey.usage
  const most = Math.max(...requests)
  const label = t('keys-page.usage-label', { count: sumOf(requests), most })
  return (
    <svg
      className={classes.bars}
      data-revoked={apiKey.revoked_at !== null}
      viewBox="0 0 96 24"
      width={96}
      height={24}
      role="img"
      aria-label={label}
    >
      {requests.map((count, day) => {
        const height = count === 0 ? 1 : Math.max(2, (count / most) * 24)
        return <rect key={day} x={day * 7} y={24 - height} width={5} height={height} rx={1} data-empty={count === 0} />
      })}
    </svg>
  )
}
