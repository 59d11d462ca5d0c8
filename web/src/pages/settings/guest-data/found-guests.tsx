import { Checkbox, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { FoundGuest } from '../../../../../client/voucher-api.generated.ts'
import { Moment } from '../../../components/moment.tsx'
import { useFindSite, useScopeZone } from '../../../sites.ts'
import classes from './guest-data.module.css'

/** The service exports and erases at most so many guests with one request. */
const mostTicked = 20

type Props = {
  found: { guests: FoundGuest[]; has_more: boolean }
  ticked: FoundGuest[]
  onTick: (guests: FoundGuest[]) => void
}

/** The guests that a search found. Those who have the same name at several sites are ticked one by one. */
export function FoundGuests({ found: { guests, has_more: hasMore }, ticked, onTick }: Props) {
  const { t } = useTranslation()
  const isFull = ticked.length >= mostTicked
  return (
    <>
      <Text role="status" fz={13} c="dimmed">
        {guests.length === 0 ? t('guest-data.none-found') : t('guest-data.found', { count: guests.length })}
        {hasMore && ` ${t('guest-data.more-found')}`}
        {isFull && ` ${t('guest-data.at-most', { count: mostTicked })}`}
        {guests.length > 0 && ticked.length === 0 && ` ${t('guest-data.tick')}`}
      </Text>
      {guests.length > 0 && (
        <fieldset className={classes.guests} aria-label={t('guest-data.guests-found')}>
          {guests.map((guest) => (
            <Checkbox
              key={`${guest.site_id} ${guest.name}`}
              className={classes.guest ?? ''}
              label={<GuestWords guest={guest} />}
              checked={ticked.includes(guest)}
              disabled={isFull && !ticked.includes(guest)}
              onChange={({ currentTarget: { checked } }) =>
                onTick(checked ? [...ticked, guest] : ticked.filter((one) => one !== guest))
              }
            />
          ))}
        </fieldset>
      )}
    </>
  )
}

/** "Familie Huber  Hotel Goldener Adler · 3 vouchers, last Mon 15:02". */
function GuestWords({
  guest: { site_id: siteId, site, name, reference, vouchers, last_at: last },
}: {
  guest: FoundGuest
}) {
  const { t } = useTranslation()
  const find = useFindSite()
  const scopeZone = useScopeZone()
  const timeZone = find(siteId)?.time_zone ?? scopeZone
  return (
    <span className={classes.guestWords}>
      <bdi>{name}</bdi>
      <Text span inherit c="dimmed">
        <bdi>{site}</bdi> ·{' '}
        {reference !== null && (
          <>
            <bdi>{t('guest-data.reference-is', { reference })}</bdi> ·{' '}
          </>
        )}
        {vouchers === 0 ? t('guest-data.no-vouchers') : t('guest-data.vouchers', { count: vouchers })},{' '}
        {t('guest-data.last')} <Moment at={last} timeZone={timeZone} />
      </Text>
    </span>
  )
}
