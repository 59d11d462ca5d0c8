import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { confirmPerson } from '../../api.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { providerStart } from '../../components/sign-in-methods.tsx'
import { lazyPart } from '../../new-version.tsx'
import { useIsOnlyByProvider, useProviderName } from '../../provider-name.ts'
import { unlinkMe } from '../../queries/my-account.ts'
import { usePerson, useSession } from '../../session.tsx'
import { useScopeZone } from '../../sites.ts'
import classes from './me.module.css'

const SignInProblem = lazyPart(
  async () => (await import('../../components/provider/sign-in-problem.tsx')).SignInProblem,
)

/** The company's account of the person: links it, or unlinks it. Empty if the service has no provider. */
export function IdentityPanel() {
  const { t } = useTranslation()
  const { provider } = useSession()
  const { identity } = usePerson()
  const { problem } = useSearch({ from: '/shell/me' })
  if (!provider && !identity) return null
  return (
    <Panel title={t('me.company-account')}>
      <Stack gap="md">
        {problem === 'sign_in_again' && <SignInFirst />}
        {problem && problem !== 'sign_in_again' && (
          <Suspense>
            <SignInProblem problem={problem} />
          </Suspense>
        )}
        {identity ? <Linked /> : <NotLinked />}
      </Stack>
    </Panel>
  )
}

const linkAddress = providerStart('link', '/me')

/** The service links an account only in the first 15 minutes after a sign-in. */
function SignInFirst() {
  const { t } = useTranslation()
  const provider = useProviderName(usePerson())
  const signIn = async () => {
    if (await confirmPerson()) location.assign(linkAddress)
  }
  const button = (
    <Button variant="default" onClick={() => void signIn()}>
      {t('me.link-again-submit')}
    </Button>
  )
  return (
    <Notice tone="warn" action={button}>
      {t('me.link-again', { provider })}
    </Notice>
  )
}

function NotLinked() {
  const { t } = useTranslation()
  const provider = useProviderName(usePerson())
  return (
    <>
      <Text c="dimmed" className={classes.long ?? ''}>
        {t('me.not-linked', { provider })}
      </Text>
      <Group>
        <Button variant="default" component="a" href={linkAddress} className={classes.wrapping ?? ''}>
          {t('me.link', { provider })}
        </Button>
      </Group>
    </>
  )
}

function Linked() {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const provider = useProviderName(usePerson())
  const isOnlyWay = useIsOnlyByProvider()
  const { identity, rights_from_groups: hasGroupRights } = usePerson()
  const [isAsking, setIsAsking] = useState(false)
  if (!identity) return null
  return (
    <>
      <div className={classes.long}>
        <Text>
          {t('me.linked', { provider })} <Moment at={identity.linked_at} timeZone={timeZone} />
        </Text>
        <Text fz={13.5} c="dimmed">
          {t('me.last-sign-in')}{' '}
          {identity.last_sign_in_at ? <Moment at={identity.last_sign_in_at} timeZone={timeZone} /> : t('me.never')}
        </Text>
      </div>
      {hasGroupRights && (
        <Text fz={13.5} c="dimmed" className={classes.long ?? ''}>
          {t('me.rights-from-groups', { provider })}
        </Text>
      )}
      {!hasGroupRights && !isOnlyWay && (
        <Group>
          <Anchor component="button" c="var(--vs-bad-text)" onClick={() => setIsAsking(true)}>
            {t('me.unlink')}
          </Anchor>
        </Group>
      )}
      <UnlinkDialog provider={provider} opened={isAsking} onClose={() => setIsAsking(false)} />
    </>
  )
}

function UnlinkDialog({ provider, opened, onClose }: { provider: string; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  const unlink = useMutation({
    ...unlinkMe,
    onSuccess: () => {
      notifications.show({ message: t('me.unlinked') })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('me.unlink-title', { provider })}
      action={t('me.unlink-submit')}
      mutation={unlink}
    >
      {t('me.unlink-text', { provider })}
    </ConfirmDialog>
  )
}
