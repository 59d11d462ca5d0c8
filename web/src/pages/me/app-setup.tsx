import { Anchor, Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NewAuthenticatorApp } from '../../../../client/voucher-api.generated.ts'
import { toApiError } from '../../api.ts'
import { CodeInput } from '../../components/second-factor/code-input.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useCopy } from '../../hooks/use-copy.ts'
import { useFocusAfter } from '../../hooks/use-focus-after.ts'
import { checkAuthenticatorApp, turnOnAuthenticatorApp } from '../../queries/second-factor.ts'
import classes from './me.module.css'
import { RecoveryCodes } from './recovery-codes.tsx'

type Props = { app: NewAuthenticatorApp; onDone: () => void }

/** The three steps to a new app. Nothing changes before the last button. */
export function AppSetup({ app, onDone }: Props) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const check = useMutation({ ...checkAuthenticatorApp, onError: () => setCode('') })
  const turnOn = useMutation({
    ...turnOnAuthenticatorApp,
    onSuccess: () => {
      notifications.show({ message: t('my-factors.app-on') })
      onDone()
    },
  })
  const button = useFocusAfter(turnOn.error)
  const failure = check.error && toApiError(check.error)
  const wrong = failure?.error === 'second_factor_wrong' ? failure : undefined
  const isChecked = check.data !== undefined
  const hasScanned = isChecked || code !== ''
  return (
    <ol className={classes.steps}>
      <Step number={1} label={t('my-factors.scan')} state={hasScanned ? 'done' : 'current'}>
        <div className={classes.scan}>
          <div className={classes.qr}>
            <QRCodeSVG
              value={app.uri}
              size={149}
              level="M"
              bgColor="#ffffff"
              fgColor="#000000"
              title={t('my-factors.qr')}
            />
          </div>
          <Key secret={app.secret} />
        </div>
      </Step>
      <Step
        number={2}
        label={t('my-factors.digits')}
        state={isChecked ? 'done' : hasScanned || check.isError ? 'current' : 'later'}
      >
        <div className={classes.digits}>
          <CodeInput
            label={t('my-factors.digits')}
            value={code}
            onChange={setCode}
            onComplete={(digits) => check.mutate(digits)}
            isFixed={isChecked}
            error={wrong && code === '' ? wrong.message : undefined}
          />
          <div className={classes.works} role="status">
            {isChecked && (
              <>
                <IconCheck size={18} stroke={1.7} aria-hidden />
                {t('my-factors.app-works')}
              </>
            )}
          </div>
        </div>
        {failure && !wrong && <ErrorMessage error={failure} />}
      </Step>
      <Step number={3} label={t('my-factors.keep-codes')} state={isChecked ? 'current' : 'later'}>
        {check.data && (
          <>
            <Text fz={13.5} c="dimmed" mb={10}>
              {t('my-factors.keep-codes-text')}
            </Text>
            {turnOn.error && <ErrorMessage error={turnOn.error} />}
            <RecoveryCodes
              codes={check.data.recovery_codes}
              action={(isStored) => (
                <Button ref={button} disabled={!isStored} loading={turnOn.isPending} onClick={() => turnOn.mutate()}>
                  {t('my-factors.turn-on')}
                </Button>
              )}
            />
          </>
        )}
      </Step>
    </ol>
  )
}

type StepProps = { number: number; label: string; state: 'done' | 'current' | 'later'; children: ReactNode }

function Step({ number, label, state, children }: StepProps) {
  return (
    <li className={classes.step} data-state={state} {...(state === 'current' && { 'aria-current': 'step' })}>
      <span className={classes.number} aria-hidden>
        {state === 'done' ? <IconCheck size={16} /> : number}
      </span>
      <div style={{ minWidth: 0 }}>
        <div className={classes.label}>{label}</div>
        {children}
      </div>
    </li>
  )
}

/** The secret for an app that cannot scan, in groups that are easy to type. */
function Key({ secret }: { secret: string }) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopy()
  return (
    <div>
      <Text fz={13.5} c="dimmed">
        {t('my-factors.or-key')}
      </Text>
      <Text className="code" maw={150} my={4}>
        {secret.match(/.{1,4}/g)?.join(' ')}
      </Text>
      <Anchor component="button" fz={13.5} onClick={() => copy(secret)}>
        {t(isCopied ? 'actions.copied' : 'my-factors.copy-key')}
      </Anchor>
    </div>
  )
}
