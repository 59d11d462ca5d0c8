import { Button, Group, NumberInput, Stack, Switch } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { shareBrowser } from '../../queries/my-account.ts'
import { useSession } from '../../session.tsx'

const usualMinutes = 30
const maxMinutes = 12 * 60

/** Whether several people share this browser, and how soon it then signs them out. */
export function SharedDesk() {
  const { t } = useTranslation()
  const stored = useSession().sign_out_after_minutes
  const [isShared, setIsShared] = useState(stored !== null)
  const [minutes, setMinutes] = useState<number | string>(stored ?? usualMinutes)
  const save = useMutation({
    ...shareBrowser,
    onSuccess: (_saved, wanted) =>
      notifications.show({ message: wanted === null ? t('me.not-shared') : t('me.shared', { count: wanted }) }),
  })
  const isValid = Number.isInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= maxMinutes
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isShared || isValid) save.mutate(isShared ? Number(minutes) : null)
      }}
    >
      <Stack gap="md">
        <Switch
          label={t('me.share')}
          description={t('me.share-text')}
          checked={isShared}
          onChange={(event) => setIsShared(event.currentTarget.checked)}
        />
        {isShared && (
          <NumberInput
            label={t('me.share-minutes')}
            description={t('me.share-minutes-text')}
            value={minutes}
            onChange={setMinutes}
            min={1}
            max={maxMinutes}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="none"
            error={!isValid && t('me.share-minutes-wrong')}
            styles={{ wrapper: { maxWidth: 140 } }}
          />
        )}
        {save.error && <ErrorMessage error={save.error} />}
        <Group>
          <Button type="submit" variant="default" loading={save.isPending}>
            {t('me.share-save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
