import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Key, KeyWithSecret } from '../../../../client/voucher-api.generated.ts'
import { api, randomKey, toApiError } from '../../api.ts'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useFocusAfter } from '../../hooks/use-focus-after.ts'
import { KeyForm } from './key-form.tsx'
import { emptyInput, inputOf, type KeyInput, toKeyChange, toNewKey } from './key-input.ts'
import { useTimeWords } from './key-words.tsx'
import { keysQuery } from './keys-data.ts'

type DialogProps = { apiKey: Key; onClose: () => void }

/** Loads the keys again, even after a failure: the answer may be lost although the key has changed. */
function useReload(): { onSettled: () => Promise<void> } {
  const queries = useQueryClient()
  return { onSettled: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }) }
}

export function CreateDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (key: KeyWithSecret) => void }) {
  const { t } = useTranslation()
  const lastSent = useRef({ contents: '', idempotencyKey: '' })
  const create = useMutation({
    mutationFn: (input: KeyInput) => {
      // A second click or a repeat after a lost answer must not create a second key. If the form has changed, it is a new request.
      const contents = JSON.stringify(input)
      if (lastSent.current.contents !== contents) lastSent.current = { contents, idempotencyKey: randomKey() }
      return api.createKey(toNewKey(input), { idempotencyKey: lastSent.current.idempotencyKey })
    },
    onSuccess: onCreated,
    ...useReload(),
  })
  return (
    <Dialog opened onClose={onClose} title={t('keys-page.new')} size={520}>
      <KeyForm
        initial={emptyInput}
        isNew
        submitLabel={t('keys-page.create')}
        isBusy={create.isPending}
        error={create.error}
        onSubmit={create.mutate}
        onCancel={onClose}
      />
    </Dialog>
  )
}

export function EditDialog({ apiKey, onClose }: DialogProps) {
  const { t } = useTranslation()
  const [before] = useState(apiKey) // `apiKey` changes when the list is loaded again
  const save = useMutation({
    mutationFn: async (input: KeyInput) => {
      const change = toKeyChange(before, input)
      if (change) await api.updateKey(apiKey.id, change)
    },
    onSuccess: onClose,
    ...useReload(),
  })
  return (
    <Dialog opened onClose={onClose} title={t('keys-page.edit-title', { name: apiKey.name })} size={520}>
      <KeyForm
        initial={inputOf(apiKey)}
        isNew={false}
        submitLabel={t('keys-page.save')}
        isBusy={save.isPending}
        error={save.error}
        onSubmit={save.mutate}
        onCancel={onClose}
      />
    </Dialog>
  )
}

const graceHours = [0, 1, 24, 168, 720] as const

export function RollDialog({ apiKey, onClose, onRolled }: DialogProps & { onRolled: (key: KeyWithSecret) => void }) {
  const { t } = useTranslation()
  const timeWords = useTimeWords()
  const [hours, setHours] = useState<number>(24)
  // The prefix at the opening. If the answer is lost or somebody else rolls the key, the list shows a new prefix, and
  // sending that one would roll the key again.
  const [prefix] = useState(apiKey.prefix)
  const end = new Date(Date.now() + hours * 3_600_000)
  const roll = useMutation({
    mutationFn: () => api.rollKey(apiKey.id, { prefix, old_valid_until: hours === 0 ? null : end.toISOString() }),
    onSuccess: onRolled,
    ...useReload(),
  })
  const next = useFocusAfter(roll.error)
  const wasRolled = roll.error !== null && toApiError(roll.error).error === 'key_rolled'
  return (
    <Dialog opened onClose={onClose} title={t('keys-page.roll-title', { name: apiKey.name })}>
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
          {hours === 0 ? t('keys-page.ends-at-once') : t('keys-page.both-work', { time: timeWords(end) })}
        </Text>
        {apiKey.old_secrets.map(({ prefix, valid_until }) => (
          <Text key={prefix} fz={13.5} c="dimmed">
            {t('keys-page.older-too', { prefix, time: timeWords(valid_until) })}
          </Text>
        ))}
        {roll.error && <ErrorMessage error={roll.error} />}
        <Group justify="flex-end" className="dialog-actions">
          <Button ref={wasRolled ? next : null} variant="default" onClick={onClose}>
            {t('actions.cancel')}
          </Button>
          {!wasRolled && (
            <Button ref={next} loading={roll.isPending} onClick={() => roll.mutate()}>
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
  const revoke = useMutation({ mutationFn: () => api.revokeKey(apiKey.id), onSuccess: onClose, ...useReload() })
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('keys-page.revoke-title', { name: apiKey.name })}
      action={t('keys-page.revoke-submit')}
      onConfirm={revoke.mutate}
      isBusy={revoke.isPending}
      error={revoke.error}
      typed={{ label: t('keys-page.type-name', { name: apiKey.name }), text: apiKey.name }}
    >
      {t('keys-page.revoke-text')}
    </ConfirmDialog>
  )
}
