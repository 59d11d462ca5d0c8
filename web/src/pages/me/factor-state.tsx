import { Button, Paper, Text } from '@mantine/core'
import { IconCheck, IconInfoCircle } from '@tabler/icons-react'
import { useRouter, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { MySecondFactors } from '../../../../client/voucher-api.generated.ts'
import { Notice } from '../../components/notice.tsx'
import { useIsOnlyByProvider, useProviderName } from '../../provider-name.ts'
import { useMustSetUp, usePerson } from '../../session.tsx'
import classes from './me.module.css'

/** The first line of the page: whether the person has a second factor, and whether they need one. */
export function FactorState({ factors }: { factors: MySecondFactors }) {
  const { t } = useTranslation()
  const person = usePerson()
  const { role } = person
  const mustSetUp = useMustSetUp()
  const provider = useProviderName(person)
  const isOnlyByProvider = useIsOnlyByProvider()
  const { app, passkeys, required } = factors
  if (isOnlyByProvider) return <State>{t('my-factors.by-provider', { provider })}</State>
  if (app || passkeys.length > 0)
    return (
      <State isOn action={<GoOn />}>
        {t('my-factors.on')}{' '}
        <Text span c="dimmed">
          {required && t(`my-factors.need-${role}`)} {!app && passkeys.length === 1 && t('my-factors.only-passkey')}
        </Text>
      </State>
    )
  if (required)
    return (
      <Notice tone="warn">
        <b style={{ fontWeight: 600 }}>{t(`my-factors.must-${role}`)}</b>{' '}
        {t(mustSetUp ? 'my-factors.set-up-now' : 'my-factors.set-up-soon')}
        <Text fz="inherit" lh="inherit" mt={6}>
          {t('my-factors.off-why')} {t('my-factors.recommended')}
        </Text>
      </Notice>
    )
  return (
    <State>
      {t('my-factors.off')}{' '}
      <Text span c="dimmed">
        {t('my-factors.off-why')}
      </Text>
    </State>
  )
}

type StateProps = { isOn?: boolean; action?: ReactNode; children: ReactNode }

function State({ isOn = false, action, children }: StateProps) {
  return (
    <Paper className={classes.state} withBorder radius="lg" bg="var(--vs-panel)" role="status">
      {isOn ? (
        <IconCheck size={20} stroke={1.7} color="var(--vs-ok)" aria-hidden />
      ) : (
        <IconInfoCircle size={20} stroke={1.7} color="var(--vs-soft)" aria-hidden />
      )}
      <Text lh="20px" className={classes.stateText}>
        {children}
      </Text>
      {action}
    </Paper>
  )
}

/** Leads to the page that the person wanted before they had to set up a second factor. */
function GoOn() {
  const { t } = useTranslation()
  const { history } = useRouter()
  const { next } = useSearch({ from: '/shell/me' })
  if (next === undefined) return null
  return <Button onClick={() => history.push(next)}>{t('my-factors.go-on')}</Button>
}
