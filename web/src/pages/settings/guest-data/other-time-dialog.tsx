import { Anchor, NumberInput, Radio, Stack } from '@mantine/core'
import { isNotEmpty } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { GuestDataSettings } from '../../../../../client/voucher-api.generated.ts'
import { FormDialog } from '../../../components/dialog.tsx'
import { SiteSelect } from '../../../components/site-select.tsx'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { deleteSiteGuestData, updateSiteGuestData } from '../../../queries/guest-data.ts'
import { daysField, daysInRange } from './days.ts'
import { ForgetSentence } from './forget-sentence.tsx'

type Exception = GuestDataSettings['exceptions'][number]
type Props = {
  settings: GuestDataSettings
  /** Undefined for another site. */
  exception: Exception | undefined
  onClose: () => void
}
type Values = { site: string; how: 'days' | 'never'; days: number | '' }

/** The time of one site, with the effect of the next run before it is saved. */
export function OtherTimeDialog({ settings, exception, onClose }: Props) {
  const { t } = useTranslation()
  const { form, element, isSaving, error, siteId } = useTimeForm(settings, exception, onClose)
  const { exceptions, forget_after_days: usual } = settings
  const { how, days } = form.values
  const wantedDays = how === 'never' ? null : Number(days)
  const before = exception ? exception.forget_after_days : usual
  const others = exceptions
    .filter(({ site_id: id }) => id !== siteId)
    .map(({ site_id, forget_after_days }) => ({ site_id, forget_after_days }))
  const isReady = siteId > 0 && (how === 'never' || daysInRange(days)) && (!exception || form.isDirty())
  const wanted = { exceptions: [...others, { site_id: siteId, forget_after_days: wantedDays }] }
  const remove = useMutation({
    ...deleteSiteGuestData,
    onSuccess: () => {
      notifications.show({ message: t('actions.saved') })
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title={exception ? t('guest-data.time-of', { site: exception.site }) : t('guest-data.other-time')}
      form={{ element, isSaving, error: error ?? remove.error }}
      action={t('actions.save')}
    >
      {!exception && <FreeSite taken={exceptions} form={form} />}
      <Radio.Group label={t('guest-data.forget')} {...form.getInputProps('how')}>
        <Stack gap="xs" mt={4}>
          <Radio value="days" label={t('guest-data.after-days')} />
          <Radio value="never" label={t('guest-data.never-forget')} />
        </Stack>
      </Radio.Group>
      {how === 'days' && (
        <NumberInput
          {...daysField}
          w="100%"
          styles={{ wrapper: { width: 96 } }}
          label={t('guest-data.days')}
          {...form.getInputProps('days')}
        />
      )}
      <div role="status">{isReady && <ForgetSentence wanted={wanted} days={wantedDays} before={before} />}</div>
      {exception && (
        <Anchor
          component="button"
          type="button"
          fz={13.5}
          ta="left"
          disabled={remove.isPending}
          onClick={() => remove.mutate(exception.site_id)}
        >
          {usual === null ? t('guest-data.remove-time-off') : t('guest-data.remove-time', { count: usual })}
        </Anchor>
      )}
    </FormDialog>
  )
}

function useTimeForm(settings: GuestDataSettings, exception: Exception | undefined, onClose: () => void) {
  const { t } = useTranslation()
  const days = exception ? exception.forget_after_days : settings.forget_after_days
  const { form, ...save } = useSaveForm({
    initialValues: {
      site: exception ? String(exception.site_id) : '',
      how: exception && days === null ? 'never' : 'days',
      days: days ?? 90,
    } as Values,
    validate: {
      site: isNotEmpty(t('desk.choose-site')),
      days: (days, { how }) => (how === 'days' && !daysInRange(days) ? t('guest-data.days-wrong') : null),
    },
    toFields: ({ site, how, days }) => ({ siteId: Number(site), days: how === 'never' ? null : Number(days) }),
    create: updateSiteGuestData,
    fields: { forget_after_days: 'days' },
    onSaved: () => {
      notifications.show({ message: t('actions.saved') })
      onClose()
    },
  })
  return { form, ...save, siteId: Number(form.values.site) }
}

type FieldProps = { taken: Exception[]; form: ReturnType<typeof useTimeForm>['form'] }

/** The sites that have the usual time. Guests of inactive sites are forgotten too. */
function FreeSite({ taken, form }: FieldProps) {
  const { t } = useTranslation()
  return (
    <SiteSelect
      data-autofocus
      label={t('guest-data.site')}
      placeholder={t('desk.choose-site')}
      without={taken.map(({ site_id: id }) => id)}
      withInactive
      {...form.getInputProps('site')}
      onChange={(value) => form.setFieldValue('site', value ?? '')}
    />
  )
}
