import { Button, Group, NumberInput, Stack, Switch } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showFailure } from '../../components/show-failure.ts'
import { shareBrowser } from '../../queries/my-account.ts'
import { useSession } from '../../session.tsx'

const usualMinutes = 30
const maxMinutes = 12 * 60

/** Whether several people share this browser, and how soon it then signs them out. */
export function SharedDesk() {
  const { t } = useTranslation()
  const { sign_out_after_minutes: stored } = useSession()
  const { mutate, isPending, variables } = useMutation({
    ...shareBrowser,
    scope: { id: 'share-browser' }, // a second change waits for the first one
    onSuccess: (_saved, wanted) =>
      notifications.show({ message: wanted === null ? t('me.not-shared') : t('me.shared', { count: wanted }) }),
    onError: (error) => showFailure(t, error),
  })
  const minutes = isPending ? variables : stored
  return (
    <Stack gap="md">
      <Switch
        label={t('me.share')}
        description={t('me.share-text')}
        checked={minutes !== null}
        onChange={({ currentTarget }) => mutate(currentTarget.checked ? usualMinutes : null)}
      />
      {minutes !== null && <Minutes stored={minutes} onSave={mutate} />}
    </Stack>
  )
}

function Minutes({ stored, onSave }: { stored: number; onSave: (minutes: number) => void }) {
  const { t } = useTranslation()
  const [minutes, setMinutes] = useState<number | string>(stored)
  const isValid = Number.isInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= maxMinutes
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isValid) onSave(Number(minutes))
  }
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        <NumberInput
          label={t('me.share-minutes')}
          description={t('me.share-minutes-text')}
          value={minutes}
          onChange={setMinutes}
          min={1}
          max={maxMinutes}
          clampBehavior="none"
          error={!isValid && t('me.share-minutes-wrong')}
          styles={{ wrapper: { maxWidth: 140 } }}
        />
        <Group>
          <Button type="submit" variant="default">
            {t('me.share-save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
