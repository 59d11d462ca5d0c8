import { Anchor, Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NewAuthenticatorApp } from '../../../../client/voucher-api.generated.ts'
import { toApiError } from '../../api.ts'
import { Notice } from '../../components/notice.tsx'
import { CodeInput } from '../../components/second-factor/code-input.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useCopy } from '../../hooks/use-copy.ts'
import { useFocusAfter } from '../../hooks/use-focus-after.ts'
import { useLayout } from '../../hooks/use-layout.ts'
import { isTouch } from '../../is-touch.ts'
import { checkAuthenticatorApp, turnOnAuthenticatorApp } from '../../queries/second-factor.ts'
import classes from './me.module.css'
import { RecoveryCodes } from './recovery-codes.tsx'

type Props = {
  app: NewAuthenticatorApp
  onBeginAgain: () => void
  /** The app is on, and the page shows it. */
  onDone: () => void
}

/** The three steps to a new app. Nothing changes before the last button. */
export function AppSetup({ app, onBeginAgain, onDone }: Props) {
  const { t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  const [code, setCode] = useState('')
  const [hasTyped, setHasTyped] = useState(false)
  const [wrongCodes, setWrongCodes] = useState(0)
  const isWrong = (error: unknown) => toApiError(error).error === 'second_factor_wrong'
  const check = useMutation({
    ...checkAuthenticatorApp,
    onError: (error) => {
      setCode('')
      if (isWrong(error)) setWrongCodes((count) => count + 1)
    },
  })
  const turnOn = useMutation({
    ...turnOnAuthenticatorApp,
    onSuccess: () => notifications.show({ message: t('my-factors.app-on') }),
  })
  const button = useFocusAfter(turnOn.error)
  const wrong = check.error && isWrong(check.error) ? toApiError(check.error).message : undefined
  const isChecked = check.data !== undefined
  return (
    <ol className={classes.steps}>
      <Step
        number={1}
        label={t(isPhone ? 'my-factors.scan-phone' : 'my-factors.scan')}
        state={hasTyped ? 'done' : 'current'}
      >
        {isPhone && (
          <>
            <Button component="a" href={app.uri} variant="default" mt={8} className={classes.wrapping ?? ''}>
              {t('my-factors.open-app')}
            </Button>
            <Text fz={13.5} c="dimmed" mt={12}>
              {t('my-factors.or-scan')}
            </Text>
          </>
        )}
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
      <Step number={2} label={t('my-factors.digits')} state={isChecked ? 'done' : hasTyped ? 'current' : 'next'}>
        <div className={classes.digits}>
          <CodeInput
            hasFocus={!isTouch()}
            label={t('my-factors.digits')}
            value={code}
            onChange={(digits) => {
              setCode(digits)
              setHasTyped(true)
            }}
            onComplete={(digits) => check.mutate(digits)}
            isFixed={isChecked}
            error={wrong && code === '' ? wrong : undefined}
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
        {wrongCodes > 1 && !isChecked && (
          <Text fz={13.5} c="dimmed" mt={8} role="status">
            {t('my-factors.often-wrong')}
          </Text>
        )}
        {check.error && !wrong && <SetupFailure error={check.error} onBeginAgain={onBeginAgain} />}
      </Step>
      <Step number={3} label={t('my-factors.keep-codes')} state={isChecked ? 'current' : 'later'}>
        {check.data && (
          <>
            <Text fz={13.5} c="dimmed" mb={10}>
              {t('my-factors.keep-codes-text')} {t('my-factors.codes-wait')}
            </Text>
            <RecoveryCodes
              codes={check.data.recovery_codes}
              action={(isStored) => (
                <Button
                  ref={button}
                  disabled={!isStored}
                  loading={turnOn.isPending}
                  onClick={() => turnOn.mutate(undefined, { onSuccess: onDone })}
                >
                  {t('my-factors.turn-on')}
                </Button>
              )}
            />
            {turnOn.error && <SetupFailure error={turnOn.error} onBeginAgain={onBeginAgain} />}
          </>
        )}
      </Step>
    </ol>
  )
}

/** The service answers with these codes an hour after the beginning, or if a setup was begun somewhere else meanwhile. */
const expired = ['authenticator_app_not_begun', 'authenticator_app_not_checked']

function SetupFailure({ error, onBeginAgain }: { error: unknown; onBeginAgain: () => void }) {
  const { t } = useTranslation()
  const again = (
    <Button variant="default" onClick={onBeginAgain}>
      {t('my-factors.begin-again')}
    </Button>
  )
  return (
    <div className={classes.failure}>
      {expired.includes(toApiError(error).error) ? (
        <Notice tone="bad" action={again}>
          {t('my-factors.expired')}
        </Notice>
      ) : (
        <ErrorMessage error={error} />
      )}
    </div>
  )
}

type StepProps = { number: number; label: string; state: 'done' | 'current' | 'next' | 'later'; children: ReactNode }

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
