import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Key, KeyWithSecret } from '../../../../client/voucher-api.generated.ts'
import { toApiError } from '../../api.ts'
import { ConfirmDialog, Dialog, FormDialog } from '../../components/dialog.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { timeWords } from '../../components/voucher/voucher-words.ts'
import { useFocusAfter } from '../../hooks/use-focus-after.ts'
import { createKey, revokeKey, rollKey, updateKey } from '../../queries/keys.ts'
import { useScopeZone } from '../../sites.ts'
import { KeyFields, useKeyForm } from './key-form.tsx'
import { emptyInput, inputOf } from './key-input.ts'

type DialogProps = { apiKey: Key; onClose: () => void }

export function CreateDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (key: KeyWithSecret) => void }) {
  const { t } = useTranslation()
  const [create] = useState(createKey)
  const { form, ...save } = useKeyForm(emptyInput, {
    create,
    onSaved: (key) => key && 'secret' in key && onCreated(key),
  })
  return (
    <FormDialog onClose={onClose} title={t('keys-page.new')} form={save} action={t('keys-page.create')} size={520}>
      <KeyFields form={form} isNew />
    </FormDialog>
  )
}

export function EditDialog({ apiKey, onClose }: DialogProps) {
  const { t } = useTranslation()
  const { form, ...save } = useKeyForm(inputOf(apiKey), { update: updateKey(apiKey.id), onSaved: onClose })
  const title = t('keys-page.edit-title', { name: apiKey.name })
  return (
    <FormDialog onClose={onClose} title={title} form={save} action={t('actions.save')} size={520}>
      <KeyFields form={form} isNew={false} />
    </FormDialog>
  )
}

const graceHours = [0, 1, 24, 168, 720] as const

export function RollDialog({ apiKey, onClose, onRolled }: DialogProps & { onRolled: (key: KeyWithSecret) => void }) {
  const { t } = useTranslation()
  const [hours, setHours] = useState<number>(24)
  // The prefix at the opening. If the answer is lost or somebody else rolls the key, the list shows a new prefix, and
  // sending that one would roll the key again.
  const [prefix] = useState(apiKey.prefix)
  const timeZone = useScopeZone()
  const end = new Date(Date.now() + hours * 3_600_000)
  const roll = useMutation({ ...rollKey(apiKey.id), onSuccess: onRolled })
  const next = useFocusAfter(roll.error)
  const wasRolled = roll.error !== null && toApiError(roll.error).error === 'key_rolled'
  return (
    <Dialog onClose={onClose} title={t('keys-page.roll-title', { name: apiKey.name })}>
      <Stack gap="md">
        <Text>{t('keys-page.roll-text')}</Text>
        <Radio.Group
          label={t('keys-page.old-works')}
          value={String(hours)}
          onChange={(choice) => setHours(Number(choice))}
        >
          <Stack gap={10} mt={6}>
            {graceHours.map((choice) => (
              <Radio key={choice} value={String(choice)} label={t(`keys-page.grace-${choice}`)} />
            ))}
          </Stack>
        </Radio.Group>
        <Text role="status" fw={500}>
          {hours === 0 ? t('keys-page.ends-at-once') : t('keys-page.both-work', { time: timeWords(end, timeZone) })}
        </Text>
        {apiKey.old_secrets.map(({ prefix, valid_until }) => (
          <Text key={prefix} fz={13.5} c="dimmed">
            {t('keys-page.older-too', { prefix, time: timeWords(valid_until, timeZone) })}
          </Text>
        ))}
        {roll.error && <ErrorMessage error={roll.error} />}
        <Group justify="flex-end" className="dialog-actions">
          <Button ref={wasRolled ? next : null} variant="default" onClick={onClose}>
            {t('actions.cancel')}
          </Button>
          {!wasRolled && (
            <Button
              ref={next}
              loading={roll.isPending}
              onClick={() => roll.mutate({ prefix, old_valid_until: hours === 0 ? null : end.toISOString() })}
            >
              {t('keys-page.roll-submit')}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

export function RevokeDialog({ apiKey, onClose }: DialogProps) {
  const { t } = useTranslation()
  const revoke = useMutation({ ...revokeKey(apiKey.id), onSuccess: onClose })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('keys-page.revoke-title', { name: apiKey.name })}
      action={t('keys-page.revoke-submit')}
      mutation={revoke}
      typed={{ label: t('keys-page.type-name', { name: apiKey.name }), text: apiKey.name }}
    >
      {t('keys-page.revoke-text')}
    </ConfirmDialog>
  )
}
