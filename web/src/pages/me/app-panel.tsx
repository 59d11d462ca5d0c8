import { Anchor, Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MySecondFactors, NewAuthenticatorApp } from '../../../../client/voucher-api.generated.ts'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { ErrorMessage, isCancelled } from '../../components/state-pages.tsx'
import { useFocusAfter } from '../../hooks/use-focus-after.ts'
import { removeAuthenticatorApp, replaceRecoveryCodes, startAuthenticatorApp } from '../../queries/second-factor.ts'
import { useScopeZone } from '../../sites.ts'
import { AppSetup } from './app-setup.tsx'
import classes from './me.module.css'
import { RecoveryCodes } from './recovery-codes.tsx'
import { RowsPanel } from './rows-panel.tsx'

/** The authenticator app: how to set one up, or since when there is one. */
export function AppPanel({ app }: { app: MySecondFactors['app'] }) {
  const { t } = useTranslation()
  const [begun, setBegun] = useState<NewAuthenticatorApp>()
  const start = useMutation({ ...startAuthenticatorApp, onSuccess: setBegun })
  const button = useFocusAfter(start.error)
  if (begun)
    return (
      <RowsPanel
        title={t('my-factors.app-set-up')}
        text={t('my-factors.app-text')}
        actions={
          <Anchor component="button" fz={13.5} onClick={() => setBegun(undefined)}>
            {t('actions.cancel')}
          </Anchor>
        }
      >
        <div className={classes.body}>
          <AppSetup app={begun} onDone={() => setBegun(undefined)} />
        </div>
      </RowsPanel>
    )
  const error = start.error && !isCancelled(start.error) && (
    <div className={classes.body}>
      <ErrorMessage error={start.error} />
    </div>
  )
  if (app) return <PresentApp app={app} onReplace={() => start.mutate()} error={error} />
  return (
    <RowsPanel
      title={t('my-factors.app-set-up')}
      text={t('my-factors.app-text')}
      actions={
        <Button ref={button} variant="default" loading={start.isPending} onClick={() => start.mutate()}>
          {t('my-factors.app-start')}
        </Button>
      }
    >
      {error}
    </RowsPanel>
  )
}

type PresentProps = { app: NonNullable<MySecondFactors['app']>; onReplace: () => void; error: ReactNode }

function PresentApp({ app, onReplace, error }: PresentProps) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const [open, setOpen] = useState<'codes' | 'remove'>()
  const close = () => setOpen(undefined)
  const left = app.recovery_codes_left
  return (
    <RowsPanel
      title={t('my-factors.app')}
      text={
        <>
          {t('my-factors.added')} <Moment at={app.added_at} timeZone={timeZone} />
          {' · '}
          <span style={left <= 2 ? { color: 'var(--vs-warn-text)' } : {}}>
            {t('my-factors.codes-left', { left, count: 10 })}
          </span>
        </>
      }
      actions={
        <Group gap="md">
          <Anchor component="button" fz={13.5} onClick={() => setOpen('codes')}>
            {t('my-factors.new-codes')}
          </Anchor>
          <Anchor component="button" fz={13.5} onClick={onReplace}>
            {t('my-factors.replace')}
          </Anchor>
          <Anchor component="button" fz={13.5} c="var(--vs-bad-text)" onClick={() => setOpen('remove')}>
            {t('my-factors.remove')}
          </Anchor>
        </Group>
      }
    >
      {error}
      {open === 'codes' && <NewCodesDialog onClose={close} />}
      {open === 'remove' && <RemoveDialog onClose={close} />}
    </RowsPanel>
  )
}

/** Asks first, because the earlier codes end, and then shows the new ones until they are stored. */
function NewCodesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const replace = useMutation(replaceRecoveryCodes)
  if (replace.data)
    return (
      <Dialog opened onClose={onClose} title={t('my-factors.new-codes-shown')} size={560} isSticky>
        <Text c="dimmed" mb="sm">
          {t('my-factors.keep-codes-text')}
        </Text>
        <RecoveryCodes
          codes={replace.data.recovery_codes}
          action={(isStored) => (
            <Button disabled={!isStored} onClick={onClose}>
              {t('actions.done')}
            </Button>
          )}
        />
      </Dialog>
    )
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('my-factors.new-codes-title')}
      action={t('my-factors.new-codes-submit')}
      onConfirm={() => replace.mutate()}
      isBusy={replace.isPending}
      error={replace.error}
    >
      {t('my-factors.new-codes-text')}
    </ConfirmDialog>
  )
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const remove = useMutation({ ...removeAuthenticatorApp, onSuccess: onClose })
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={t('my-factors.remove-app-title')}
      action={t('my-factors.remove-app-submit')}
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      error={remove.error}
    >
      {t('my-factors.remove-app-text')}
    </ConfirmDialog>
  )
}
