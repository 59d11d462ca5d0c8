import { Anchor, Code, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Panel } from '../../../components/panel.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { useCopy } from '../../../hooks/use-copy.ts'
import { addTexts } from '../../../i18n/i18n.ts'
import { signInSettingsQuery } from '../../../queries/sign-in-settings.ts'
import { useSession } from '../../../session.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { GroupsForm } from './groups-form.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { ProviderPanel } from './provider-panel.tsx'
import { SecondFactorPanel } from './second-factor-panel.tsx'
import classes from './sign-in.module.css'

addTexts({ de, en })

/** How people sign in: the provider of the company's accounts, rights by group, the second factor and passwords. */
export function SignInTab() {
  const { data, error, refetch } = useQuery(signInSettingsQuery)
  if (!data) return error ? <ErrorMessage error={error} onRetry={() => void refetch()} /> : <Loading />
  const { provider } = data
  return (
    <div className={classes.page}>
      {provider ? <ProviderPanel provider={provider} settings={data} /> : <NotConfigured />}
      {provider && <GroupsForm stored={data} provider={provider.name} />}
      <Stack gap={20}>
        <SecondFactorPanel provider={provider?.name} />
        {provider && <PasswordPanel settings={data} provider={provider} />}
      </Stack>
    </div>
  )
}

function Loading() {
  return (
    <div className={classes.page}>
      <Skeleton h={74} radius="lg" className={classes.first ?? ''} />
      <Skeleton h={420} radius="lg" />
      <Stack gap={20}>
        <Skeleton h={220} radius="lg" />
        <Skeleton h={330} radius="lg" />
      </Stack>
    </div>
  )
}

/** What an operator sets so that people can sign in with the company's account. */
function NotConfigured() {
  const { t } = useTranslation()
  const { public_url: publicUrl } = useSession()
  const { isCopied, copy } = useCopy()
  const redirectUrl = `${publicUrl ?? location.origin}/sso/callback`
  return (
    <div className={classes.first}>
      <Panel title={t('sign-in-settings.not-configured')} text={t('sign-in-settings.not-configured-text')}>
        <Code block>
          {`OIDC_ISSUER=https://login.example.com\nOIDC_CLIENT_ID=voucher-service\nOIDC_CLIENT_SECRET=…${publicUrl ? '' : `\nPUBLIC_URL=${location.origin}`}`}
        </Code>
        <Text fz={13.5}>
          {t('sign-in-settings.redirect-enter')}{' '}
          <Text component="span" className="code" fz={13} style={{ overflowWrap: 'anywhere' }}>
            {redirectUrl}
          </Text>{' '}
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
        <Text fz={13.5} c="dimmed">
          {t('sign-in-settings.docs')}
        </Text>
      </Panel>
    </div>
  )
}
