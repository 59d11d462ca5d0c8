import { Anchor, Radio, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type {
  ErasureResult,
  FoundGuest,
  GuestErasure,
  StoredGuestData,
} from '../../../../../client/voucher-api.generated.ts'
import { FormDialog } from '../../../components/dialog.tsx'
import { filled } from '../../../components/filled.tsx'
import { formatNumber } from '../../../formats.ts'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { eraseGuests } from '../../../queries/guests.ts'
import classes from './guest-data.module.css'
import { placeWords } from './stored-data.tsx'
import { type ErasureChoice, toErasure } from './to-erasure.ts'

const reasons = ['guest_asked', 'mistake', 'other'] as const satisfies GuestErasure['reason'][]

type Props = {
  guests: FoundGuest[]
  stored: StoredGuestData
  onErased: (erasure: ErasureResult) => void
  onClose: () => void
}

/** Asks before guests are erased: what is erased, what stays, what happens to vouchers that still work, and for which reason. */
export function EraseDialog({ guests, stored, onErased, onClose }: Props) {
  const { t } = useTranslation()
  const { form, ...save } = useEraseForm({ guests, stored, onErased, onClose })
  const erased = stored.places.filter(({ place }) => place !== 'controller')
  const entries = erased.reduce((sum, place) => sum + place.entries, 0)
  const [first] = guests
  // The service may know more: a voucher that is being created, for example by a list, counts as one that still works.
  const isLive = stored.valid > 0 || form.values.valid !== '' || form.errors['valid'] !== undefined
  return (
    <FormDialog
      size={560}
      onClose={onClose}
      title={
        guests.length === 1 && first
          ? filled(t('guest-data.erase-title', { name: '\n' }), <bdi>{first.name}</bdi>)
          : t('guest-data.erase-several-title', { count: guests.length })
      }
      form={save}
      action={t('guest-data.erase-submit', { count: entries, number: formatNumber(entries) })}
      isDestructive
    >
      <GuestNames guests={guests} />
      <div className={classes.counts}>
        {erased.map((place) => (
          <div key={`${place.place} ${place.webhook}`}>
            <bdi>{placeWords(t, place)}</bdi>
            <span>{formatNumber(place.entries)}</span>
          </div>
        ))}
      </div>
      <WhatStays isOnController={erased.length < stored.places.length} />
      {isLive && (
        <Radio.Group
          label={
            stored.valid > 0
              ? t('guest-data.working', { count: stored.valid, number: formatNumber(stored.valid) })
              : t('guest-data.live')
          }
          {...form.getInputProps('valid')}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="refuse" label={t('guest-data.live-refuse')} />
            {form.values.valid === 'refuse' && <ValidVouchers guests={guests} />}
            <Radio
              value="after_end"
              label={t('guest-data.live-after_end')}
              description={t('guest-data.live-after_end-text')}
            />
          </Stack>
        </Radio.Group>
      )}
      <Radio.Group label={t('guest-data.reason')} {...form.getInputProps('reason')}>
        <Stack gap="xs" mt={4}>
          {reasons.map((reason) => (
            <Radio key={reason} value={reason} label={t(`guest-data.reason-${reason}`)} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  )
}

function useEraseForm({ guests, stored, onErased, onClose }: Props) {
  const { t } = useTranslation()
  return useSaveForm({
    initialValues: { reason: '', valid: '' } as ErasureChoice,
    validate: {
      valid: (valid) => (stored.valid > 0 && valid === '' ? t('guest-data.live-missing') : null),
      reason: (reason) => (reason === '' ? t('guest-data.reason-missing') : null),
    },
    toFields: (choice) => toErasure(guests, choice),
    create: eraseGuests,
    fields: { voucher_still_valid: 'valid' },
    onSaved: (erasure) => {
      onClose()
      if (erasure) onErased(erasure)
    },
  })
}

/** The guests with their sites, because guests of two sites may have the same name. */
function GuestNames({ guests }: { guests: FoundGuest[] }) {
  const { t } = useTranslation()
  return (
    <ul className={classes.names} aria-label={t('guest-data.to-erase')}>
      {guests.map(({ site_id: site, site: siteName, name }) => (
        <li key={`${site} ${name}`}>
          <bdi>{name}</bdi>{' '}
          <Text span inherit c="dimmed">
            <bdi>{siteName}</bdi>
          </Text>
        </li>
      ))}
    </ul>
  )
}

/** Data that this service cannot erase, or keeps without the guest. */
function WhatStays({ isOnController }: { isOnController: boolean }) {
  const { t } = useTranslation()
  return (
    <div>
      <Text fw={500}>{t('guest-data.stays')}</Text>
      <ul className={classes.stays}>
        <li>{t('guest-data.stays-numbers')}</li>
        {isOnController && <li>{t('guest-data.stays-controller')}</li>}
        <li>{t('guest-data.stays-backups')}</li>
        <li>{t('guest-data.stays-receivers')}</li>
      </ul>
    </div>
  )
}

/** Links to the vouchers that still work. They open beside this page, so that the choice in the dialog stays. */
function ValidVouchers({ guests }: { guests: FoundGuest[] }) {
  const { t } = useTranslation()
  return (
    <Text component="div" fz={13} c="dimmed" className={classes.links ?? ''}>
      {t('guest-data.live-refuse-text')}
      {guests
        .filter(({ valid }) => valid > 0)
        .map(({ site_id: site, site: siteName, name }) => (
          <Anchor
            key={`${site} ${name}`}
            fz="inherit"
            target="_blank"
            renderRoot={(props) => <Link to="/vouchers" search={{ site, q: name, status: 'valid,used' }} {...props} />}
          >
            <bdi>{name}</bdi>, <bdi>{siteName}</bdi>
          </Anchor>
        ))}
    </Text>
  )
}
