import { Button, Group, NumberInput, Skeleton, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { updateGuestInfo, useGuestInfo } from '../../queries/guest-info.ts'

const mostDays = 365

/** The days by which the desk can extend a new stay of the site, and what they cost. */
export function StayPanel({ site }: { site: Site }) {
  const { t } = useTranslation()
  const { data } = useGuestInfo(site.id)
  return (
    <Panel title={t('sites-page.stays')}>
      {data ? <RoomToExtend key={data.room_days} site={site} stored={data.room_days} /> : <Skeleton h={36} />}
    </Panel>
  )
}

function RoomToExtend({ site, stored }: { site: Site; stored: number }) {
  const { t } = useTranslation()
  const textId = useId()
  const { form, element, isSaving, error } = useSaveForm({
    initialValues: { room_days: stored as number | string },
    toFields: ({ room_days: days }) => ({ room_days: days === '' ? stored : Number(days) }),
    update: updateGuestInfo(site.id),
    onSaved: (saved) => saved && notifications.show({ message: t('actions.saved') }),
  })
  const days = form.values.room_days
  const [before, after] = t('sites-page.room-days', { days: '\n' }).split('\n')
  return (
    <form {...element}>
      <Group gap={8} component="label" fz={14}>
        <span>{before}</span>
        <NumberInput
          w={72}
          min={0}
          max={mostDays}
          clampBehavior="strict"
          aria-describedby={textId}
          {...form.getInputProps('room_days')}
        />
        <span>{after}</span>
      </Group>
      <Text id={textId} c="dimmed" fz={13.5} mt="sm">
        {t(Number(days) === 0 ? 'sites-page.room-days-none' : 'sites-page.room-days-cost')}
      </Text>
      {error && <ErrorMessage error={error} />}
      {days !== '' && Number(days) !== stored && (
        <Button type="submit" mt="md" variant="default" loading={isSaving}>
          {t('actions.save')}
        </Button>
      )}
    </form>
  )
}
