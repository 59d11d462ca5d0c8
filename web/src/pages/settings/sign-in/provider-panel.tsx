import { Anchor, Button, Paper, Text, Title } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { SignInProvider, SignInSettings } from '../../../../../client/voucher-api.generated.ts'
import { Moment } from '../../../components/moment.tsx'
import { StateDot } from '../../../components/state-dot.tsx'
import { clockWords } from '../../../components/voucher/voucher-words.ts'
import { useCopy } from '../../../hooks/use-copy.ts'
import { useScopeZone } from '../../../sites.ts'
import classes from './sign-in.module.css'

type Props = { provider: SignInProvider; settings: SignInSettings }

/** The provider, whether it answers, and a sign-in that changes nobody's session. */
export function ProviderPanel({ provider, settings }: Props) {
  const { t } = useTranslation()
  const { isCopied, copy } = useCopy()
  const { name, issuer, redirect_url: redirectUrl } = provider
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.provider ?? ''}>
      <div className={classes.facts}>
        <div className={classes.state} role="status">
          <Title order={2} fz={15} lh="20px">
            {name}
          </Title>
          <State provider={provider} settings={settings} />
        </div>
        <Text fz={13.5} lh="20px" c="dimmed" component="div" className={classes.issuer ?? ''}>
          <span title={issuer}>{shortAddress(issuer)}</span>
          {' · '}
          {t('sign-in-settings.set-by')}
          {' · '}
          {t('sign-in-settings.redirect')}{' '}
          <Anchor
            component="button"
            type="button"
            fz="inherit"
            fw={500}
            aria-label={t('sign-in-settings.copy-redirect')}
            onClick={() => copy(redirectUrl)}
          >
            {t(isCopied ? 'actions.copied' : 'actions.copy')}
          </Anchor>
        </Text>
      </div>
      <Button
        variant="default"
        component="a"
        href="/sso/start?purpose=test"
        target="_blank"
        leftSection={<IconPlugConnected size={16} aria-hidden />}
      >
        {t('sign-in-settings.test')}
      </Button>
    </Paper>
  )
}

function State({ provider, settings }: Props) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const { state, since, reason, checked_at: checkedAt, clock_difference_seconds: seconds } = provider
  if (state === 'does_not_answer')
    return (
      <Text fz={13.5} c="var(--vs-bad-text)" lh="20px" component="div" className={classes.words ?? ''}>
        <StateDot tone="bad" />
        <span>
          {t('sign-in-settings.silent', { time: since ? clockWords(new Date(since), timeZone) : '?' })}
          {reason && (
            <>
              {' ('}
              <span className="code" lang="en">
                {reason}
              </span>
              {')'}
            </>
          )}
          {'. '}
          {t(
            settings.password_sign_in.enabled ? 'sign-in-settings.passwords-work' : 'sign-in-settings.only-break-glass',
          )}
        </span>
      </Text>
    )
  if (state === 'clock_differs')
    return (
      <Text fz={13.5} c="var(--vs-warn-text)" lh="20px" component="div" className={classes.words ?? ''}>
        <StateDot tone="warn" />
        <span>{t('sign-in-settings.clock', { time: differenceWords(seconds ?? 0) })}</span>
      </Text>
    )
  return (
    <Text fz={13.5} c="dimmed" lh="20px" component="div" className={classes.words ?? ''}>
      <StateDot tone={state === 'answers' ? 'ok' : 'none'} />
      <span>
        {state === 'answers' ? t('sign-in-settings.answers') : state}
        {checkedAt && (
          <>
            {', '}
            {t('sign-in-settings.checked')} <Moment at={checkedAt} timeZone={timeZone} />
          </>
        )}
      </span>
    </Text>
  )
}

/** "5 min", or "90 s" below two minutes. */
function differenceWords(seconds: number): string {
  const amount = Math.abs(seconds)
  return amount < 120 ? `${amount} s` : `${Math.round(amount / 60)} min`
}

/** Without https, and without the middle of a long address. The tooltip has all of it. */
function shortAddress(address: string): string {
  const text = address.replace(/^https:\/\//, '').replace(/\/$/, '')
  return text.length > 50 ? `${text.slice(0, 42)}…${text.slice(-5)}` : text
}
