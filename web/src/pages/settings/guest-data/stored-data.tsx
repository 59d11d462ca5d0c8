import { Button, Skeleton, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ErasureResult, FoundGuest, StoredPlace } from '../../../../../client/voucher-api.generated.ts'
import { filled } from '../../../components/filled.tsx'
import { Moment } from '../../../components/moment.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { formatNumber } from '../../../formats.ts'
import { useFocusAfter } from '../../../hooks/use-focus-after.ts'
import { orValue } from '../../../newer-values.ts'
import { exportGuests, storedQuery } from '../../../queries/guests.ts'
import { useScopeZone } from '../../../sites.ts'
import { EraseDialog } from './erase-dialog.tsx'
import classes from './guest-data.module.css'

type Props = { guests: FoundGuest[]; onErased: (erasure: ErasureResult) => void }

/** What is stored where about the ticked guests, with the buttons to export and to erase it. */
export function StoredData({ guests, onErased }: Props) {
  const { t } = useTranslation()
  const [isAsked, setIsAsked] = useState(false)
  const keys = guests.map(({ site_id, name }) => ({ site_id, name }))
  const { data, error, refetch, isPlaceholderData: isOld } = useQuery(storedQuery(keys))
  const save = useMutation(exportGuests)
  const button = useFocusAfter(save.error)
  if (!data)
    return error ? (
      <div className={classes.note}>
        <ErrorMessage error={error} onRetry={() => void refetch()} />
      </div>
    ) : (
      <Skeleton h={236} radius={0} />
    )
  const [first] = guests
  return (
    <>
      <Places places={data.places} />
      <Text className={classes.note ?? ''} fz={13} c="dimmed">
        {t('guest-data.not-searched')}
      </Text>
      {save.error && (
        <div className={classes.note}>
          <ErrorMessage error={save.error} />
        </div>
      )}
      <div className={classes.foot}>
        <Button
          ref={button}
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={save.isPending}
          disabled={isOld}
          onClick={() => save.mutate(keys)}
        >
          {t('guest-data.export', { count: data.entries, number: formatNumber(data.entries) })}
        </Button>
        <Button
          variant="subtle"
          color="red"
          className={classes.erase ?? ''}
          disabled={isOld}
          onClick={() => setIsAsked(true)}
        >
          <span className={classes.eraseLabel}>
            {guests.length === 1 && first
              ? filled(t('guest-data.erase', { name: '\n' }), <bdi>{first.name}</bdi>)
              : t('guest-data.erase-several', { count: guests.length })}
          </span>
        </Button>
      </div>
      {isAsked && <EraseDialog guests={guests} stored={data} onErased={onErased} onClose={() => setIsAsked(false)} />}
    </>
  )
}

function Places({ places }: { places: StoredPlace[] }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  return (
    <table className={`${classes.table} ${classes.places}`} aria-label={t('guest-data.stored')}>
      <thead>
        <tr>
          <th scope="col">{t('guest-data.stored-where')}</th>
          <th scope="col">{t('guest-data.what')}</th>
          <th scope="col" className={classes.number}>
            {t('guest-data.entries')}
          </th>
          <th scope="col">{t('guest-data.until')}</th>
        </tr>
      </thead>
      <tbody>
        {places.map((place) => (
          <tr key={`${place.place} ${place.webhook}`}>
            <th scope="row">
              <bdi>{placeWords(t, place)}</bdi>
            </th>
            <td className={classes.dimmed}>{fieldWords(t, place)}</td>
            <td className={classes.number}>{formatNumber(place.entries)}</td>
            <td className={classes.dimmed}>
              {place.until === null ? t('guest-data.no-date') : <Moment at={place.until} timeZone={timeZone} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** "Vouchers", or "Webhook “PMS”" for the events of a webhook. */
export function placeWords(t: TFunction, { place, webhook }: StoredPlace): string {
  return webhook === null ? t(`guest-data.place-${place}`, orValue(place)) : t('guest-data.place-webhook', { webhook })
}

function fieldWords(t: TFunction, { place, fields }: StoredPlace): string {
  if (place === 'controller') return t('guest-data.note-on-controller')
  return fields.map((field) => t(`guest-data.field-${field}`, orValue(field))).join(', ')
}
