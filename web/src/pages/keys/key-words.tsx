import { useTranslation } from 'react-i18next'
import type { Key } from '../../../../client/voucher-api.generated.ts'
import { Moment } from '../../components/moment.tsx'
import { formatTime, shortDay } from '../../formats.ts'
import { useFindSite, useScopeZone } from '../../sites.ts'
import classes from './keys.module.css'
import { daysUntil, expiryOf } from './keys-data.ts'

/** The sites of a key in a few words: all, the name of one, or a number. */
export function useSitesWords(): (key: Pick<Key, 'all_sites' | 'site_ids'>) => string {
  const { t } = useTranslation()
  const find = useFindSite()
  return ({ all_sites, site_ids }) => {
    if (all_sites) return t('keys-page.all-sites')
    const name = site_ids.length === 1 && find(site_ids[0] as number)?.name
    return name || t('keys-page.sites', { count: site_ids.length })
  }
}

/** When a key stops working, or stopped. */
export function ExpiryWords({ apiKey }: { apiKey: Key }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const expiry = expiryOf(apiKey)
  const day = (time: string | null) => formatTime(new Date(time ?? 0), { timeZone, ...shortDay })
  if (expiry === 'never') return t('keys-page.never')
  if (expiry === 'revoked') return t('keys-page.revoked', { day: day(apiKey.revoked_at) })
  if (expiry === 'expired')
    return <span className={classes.soon}>{t('keys-page.expired', { day: day(apiKey.expires_at) })}</span>
  if (expiry === 'soon')
    return <span className={classes.soon}>{t('keys-page.in-days', { count: daysUntil(apiKey.expires_at ?? '') })}</span>
  return <Moment at={apiKey.expires_at ?? ''} timeZone={timeZone} />
}

export function LimitWords({ apiKey }: { apiKey: Pick<Key, 'requests_per_minute'> }) {
  const { t } = useTranslation()
  const { requests_per_minute: limit } = apiKey
  return limit === null ? t('keys-page.no-limit') : t('keys-page.per-minute', { count: limit })
}
