import { Button, Menu, Text, TextInput } from '@mantine/core'
import { isNotEmpty } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { IconDeviceMobile, IconFingerprint, IconPlus, IconUsb } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Passkey } from '../../../../client/voucher-api.generated.ts'
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { MoreMenu } from '../../components/more-menu.tsx'
import { guessPasskeyName, hasPasskeys } from '../../components/second-factor/passkey.ts'
import { PasskeyFailure } from '../../components/second-factor/passkey-failure.tsx'
import { isCancelled } from '../../components/state-pages.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { addPasskey, removePasskey, renamePasskey } from '../../queries/second-factor.ts'
import { useScopeZone } from '../../sites.ts'
import classes from './me.module.css'
import { RowsPanel } from './rows-panel.tsx'

type Open = { what: 'add' } | { what: 'rename' | 'remove'; passkey: Passkey }

/** The passkeys of the person. `isLast`: there is only one, and the role needs a second factor, so it cannot be removed. */
export function PasskeysPanel({ passkeys, isLast }: { passkeys: Passkey[]; isLast: boolean }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const add = hasPasskeys() && (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ what: 'add' })}>
      {t('my-factors.add-passkey')}
    </Button>
  )
  return (
    <RowsPanel title={t('my-factors.passkeys')} text={t('my-factors.passkeys-text')} actions={add}>
      {!hasPasskeys() && (
        <Text className={classes.body} c="dimmed">
          {t('my-factors.no-passkeys-here')}
        </Text>
      )}
      <ul className={classes.rows}>
        {passkeys.map((passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            isLast={isLast}
            onOpen={(what) => setOpen({ what, passkey })}
          />
        ))}
      </ul>
      {open?.what === 'add' && <AddDialog onClose={close} />}
      {open?.what === 'rename' && <RenameDialog passkey={open.passkey} onClose={close} />}
      {open?.what === 'remove' && <RemoveDialog passkey={open.passkey} onClose={close} />}
    </RowsPanel>
  )
}

type RowProps = { passkey: Passkey; isLast: boolean; onOpen: (what: 'rename' | 'remove') => void }

function PasskeyRow({ passkey, isLast, onOpen }: RowProps) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const { name, added_at: addedAt, last_used_at: usedAt, counter_went_back_at: wentBackAt } = passkey
  const Icon = iconFor(name)
  return (
    <li className={classes.passkey}>
      <Icon size={20} stroke={1.5} aria-hidden />
      <div style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
        <Text fw={500}>{name}</Text>
        <Text fz={13} c="dimmed">
          {t('my-factors.added')} <Moment at={addedAt} timeZone={timeZone} />
          {' · '}
          {usedAt === null ? (
            t('my-factors.never-used')
          ) : (
            <>
              {t('my-factors.used')} <Moment at={usedAt} timeZone={timeZone} />
            </>
          )}
        </Text>
        {wentBackAt !== null && (
          <Text fz={13} c="var(--vs-bad-text)">
            <Moment at={wentBackAt} timeZone={timeZone} />: {t('my-factors.counter')}
          </Text>
        )}
      </div>
      <MoreMenu label={t('table.acts', { name })}>
        <Menu.Item onClick={() => onOpen('rename')}>{t('my-factors.rename')}</Menu.Item>
        {!isLast && (
          <Menu.Item c="var(--vs-bad-text)" onClick={() => onOpen('remove')}>
            {t('my-factors.remove')}
          </Menu.Item>
        )}
      </MoreMenu>
    </li>
  )
}

/** The service does not know the device, but people name passkeys after it. */
function iconFor(name: string): typeof IconFingerprint {
  if (/phone|android|handy|telefon/i.test(name)) return IconDeviceMobile
  return /key\b|schlüssel|usb|yubi/i.test(name) ? IconUsb : IconFingerprint
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const { form, element, isSaving, error } = useSaveForm({
    initialValues: { name: guessPasskeyName(navigator.userAgent) },
    validate: { name: isNotEmpty(t('my-factors.passkey-name-missing')) },
    toFields: ({ name }) => ({ name: name.trim() }),
    create: addPasskey,
    onSaved: () => {
      notifications.show({ message: t('my-factors.passkey-added') })
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title={t('my-factors.add-passkey')}
      form={{ element, isSaving, error: null }}
      action={t('my-factors.add-submit')}
      isSticky={isSaving}
    >
      <TextInput
        data-autofocus
        label={t('my-factors.passkey-name')}
        description={t('my-factors.passkey-name-text')}
        {...form.getInputProps('name')}
      />
      <Text fz={13.5} c="dimmed">
        {t('my-factors.passkey-next')}
      </Text>
      {error && !isCancelled(error) && <PasskeyFailure error={error} />}
    </FormDialog>
  )
}

type DialogProps = { passkey: Passkey; onClose: () => void }

function RenameDialog({ passkey, onClose }: DialogProps) {
  const { t } = useTranslation()
  const { form, ...save } = useSaveForm({
    initialValues: { name: passkey.name },
    validate: { name: isNotEmpty(t('my-factors.passkey-name-missing')) },
    toFields: ({ name }) => ({ name: name.trim() }),
    update: renamePasskey(passkey.id),
    onSaved: onClose,
  })
  return (
    <FormDialog
      onClose={onClose}
      title={t('my-factors.rename-title')}
      form={save}
      action={t('my-factors.rename-submit')}
    >
      <TextInput data-autofocus label={t('my-factors.passkey-name')} {...form.getInputProps('name')} />
    </FormDialog>
  )
}

function RemoveDialog({ passkey, onClose }: DialogProps) {
  const { t } = useTranslation()
  const remove = useMutation({ ...removePasskey(passkey.id), onSuccess: onClose })
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('my-factors.remove-passkey-title', { name: passkey.name })}
      action={t('my-factors.remove-passkey-submit')}
      mutation={remove}
    >
      {t('my-factors.remove-passkey-text')}
    </ConfirmDialog>
  )
}
