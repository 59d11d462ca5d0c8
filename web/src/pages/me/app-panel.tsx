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
import { useMustSetUp } from '../../session.tsx'
import { useScopeZone } from '../../sites.ts'
import { AppSetup } from './app-setup.tsx'
import classes from './me.module.css'
import { RecoveryCodes } from './recovery-codes.tsx'
import { RowsPanel } from './rows-panel.tsx'

type Props = {
  app: MySecondFactors['app']
  /** Whether it is the last factor of a role that needs one. Then it can only be replaced. */
  isLast: boolean
  onTurnedOn: () => void
}

/** The authenticator app: how to set one up, or since when there is one. */
export function AppPanel({ app, isLast, onTurnedOn }: Props) {
  const { t } = useTranslation()
  const [begun, setBegun] = useState<NewAuthenticatorApp>()
  const [isCancelledSetup, setIsCancelledSetup] = useState(false) // the button gets the focus that *Cancel* had
  const start = useMutation({ ...startAuthenticatorApp, onSuccess: setBegun })
  const button = useFocusAfter(start.error)
  const mustSetUp = useMustSetUp()
  if (begun)
    return (
      <RowsPanel
        title={t('my-factors.app-set-up')}
        text={t('my-factors.app-text')}
        actions={
          <Anchor
            component="button"
            fz={13.5}
            onClick={() => {
              setBegun(undefined)
              setIsCancelledSetup(true)
            }}
          >
            {t('actions.cancel')}
          </Anchor>
        }
      >
        <div className={classes.body}>
          <AppSetup
            key={begun.secret}
            app={begun}
            onBeginAgain={() => start.mutate()}
            onDone={() => {
              setBegun(undefined)
              onTurnedOn()
            }}
          />
        </div>
      </RowsPanel>
    )
  const error = start.error && !isCancelled(start.error) && (
    <div className={classes.body}>
      <ErrorMessage error={start.error} />
    </div>
  )
  if (app) {
    const begin = () => start.mutate()
    return <PresentApp app={app} isLast={isLast} hasFocus={isCancelledSetup} onBegin={begin} error={error} />
  }
  return (
    <RowsPanel
      title={t('my-factors.app-set-up')}
      text={t('my-factors.app-text')}
      actions={
        <Button
          ref={button}
          variant={mustSetUp ? 'filled' : 'default'}
          loading={start.isPending}
          autoFocus={isCancelledSetup}
          onClick={() => start.mutate()}
        >
          {t('my-factors.app-start')}
        </Button>
      }
    >
      {error}
    </RowsPanel>
  )
}

type PresentProps = {
  app: NonNullable<MySecondFactors['app']>
  isLast: boolean
  hasFocus: boolean
  onBegin: () => void
  error: ReactNode
}

function PresentApp({ app, isLast, hasFocus, onBegin, error }: PresentProps) {
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
          <Anchor component="button" fz={13.5} autoFocus={hasFocus} onClick={onBegin}>
            {t('my-factors.replace')}
          </Anchor>
          {!isLast && (
            <Anchor component="button" fz={13.5} c="var(--vs-bad-text)" onClick={() => setOpen('remove')}>
              {t('my-factors.remove')}
            </Anchor>
          )}
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
      <Dialog onClose={onClose} title={t('my-factors.new-codes-shown')} size={560} isSticky>
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
      onClose={onClose}
      title={t('my-factors.new-codes-title')}
      action={t('my-factors.new-codes-submit')}
      mutation={replace}
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
      onClose={onClose}
      title={t('my-factors.remove-app-title')}
      action={t('my-factors.remove-app-submit')}
      mutation={remove}
    >
      {t('my-factors.remove-app-text')}
    </ConfirmDialog>
  )
}
