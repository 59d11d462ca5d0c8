import { Paper, Switch } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestDataSettings } from '../../../../../client/voucher-api.generated.ts'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { showFailure } from '../../../components/show-failure.ts'
import { updateGuestData } from '../../../queries/guest-data.ts'
import { SwitchRow } from '../switch-row.tsx'
import classes from './guest-data.module.css'

/** Whether ended vouchers are deleted on the controller too. Switching it on asks first, because nothing brings them back. */
export function DeletePanel({ settings }: { settings: GuestDataSettings }) {
  const { t } = useTranslation()
  const [isAsked, setIsAsked] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    ...updateGuestData,
    onSuccess: () => {
      notifications.show({ message: t('actions.saved') })
      setIsAsked(false)
    },
    onError: (failure) => !isAsked && showFailure(t, failure),
  })
  const { delete_on_controller: isOn, exceptions, forget_after_days: days } = settings
  const forgets = days !== null || exceptions.some((exception) => exception.forget_after_days !== null)
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.delete ?? ''}>
      <SwitchRow
        isHeading
        title={t('guest-data.delete')}
        text={forgets || isOn ? t('guest-data.delete-text') : t('guest-data.delete-off')}
      >
        <Switch
          aria-label={t('guest-data.delete')}
          checked={isOn}
          disabled={isPending || (!isOn && !forgets)}
          onChange={({ currentTarget: { checked } }) =>
            checked ? setIsAsked(true) : mutate({ delete_on_controller: false })
          }
        />
      </SwitchRow>
      {isAsked && (
        <ConfirmDialog
          title={t('guest-data.delete-title')}
          action={t('guest-data.delete-submit')}
          mutation={{ mutate: () => mutate({ delete_on_controller: true }), isPending, error }}
          onClose={() => {
            setIsAsked(false)
            reset()
          }}
        >
          {t('guest-data.delete-ask')}
        </ConfirmDialog>
      )}
    </Paper>
  )
}
