import { Anchor, Paper, Skeleton, Switch, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SecondFactorOfRole, SecondFactorRoles } from '../../../../../client/voucher-api.generated.ts'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { showFailure } from '../../../components/show-failure.ts'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { secondFactorSettingsQuery, updateSecondFactorSettings } from '../../../queries/second-factor-settings.ts'
import { usePerson } from '../../../session.tsx'
import { SwitchRow } from '../switch-row.tsx'
import { Names } from './names.tsx'
import classes from './sign-in.module.css'

type Role = SecondFactorRoles['required'][number]
const roles = ['admin', 'manager', 'desk'] as const

/** The roles that need a second factor, and how many people have one. */
export function SecondFactorPanel({ provider }: { provider: string | undefined }) {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(secondFactorSettingsQuery)
  const [asked, setAsked] = useState<Role>()
  const change = useMutation({
    ...updateSecondFactorSettings,
    onSuccess: () => {
      notifications.show({ message: t('actions.saved') })
      setAsked(undefined)
    },
    onError: (failure) => asked === undefined && showFailure(t, failure),
  })
  const me = usePerson()
  if (!data) return error ? <ErrorMessage error={error} onRetry={() => void refetch()} /> : <Skeleton h={220} />
  const { roles: found, own_factor: hasOwnFactor } = data
  const set = (role: Role, isOn: boolean) =>
    change.mutate({ required: roles.filter((one) => (one === role ? isOn : found[one].required)) })
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.panel ?? ''}>
      <Title order={2} fz={15} lh="22px">
        {t('sign-in-settings.factors')}
      </Title>
      {roles.map((role) => {
        const isBlocked = role === me.role && !hasOwnFactor && !found[role].required
        return (
          <SwitchRow
            key={role}
            title={t(`roles.${role}`)}
            text={
              <>
                {countWords(t, found[role], provider)}
                {isBlocked && <OwnFirst />}
              </>
            }
          >
            <Switch
              aria-label={`${t('sign-in-settings.factors')}: ${t(`roles.${role}`)}`}
              checked={found[role].required}
              disabled={change.isPending || isBlocked}
              onChange={({ currentTarget: { checked } }) =>
                checked && found[role].without_factor.length > 0 ? setAsked(role) : set(role, checked)
              }
            />
          </SwitchRow>
        )
      })}
      {asked && (
        <ConfirmDialog
          onClose={() => {
            setAsked(undefined)
            change.reset()
          }}
          title={t('sign-in-settings.require-title', { role: t(`roles.${asked}`) })}
          action={t('sign-in-settings.require-submit')}
          mutation={{ ...change, mutate: () => set(asked, true) }}
          isDestructive={false}
        >
          {t('sign-in-settings.require-text')}{' '}
          {t('sign-in-settings.require-count', { count: countMissing(found[asked]) })}{' '}
          <Names names={found[asked].without_factor} count={countMissing(found[asked])} />
        </ConfirmDialog>
      )}
    </Paper>
  )
}

function OwnFirst() {
  const { t } = useTranslation()
  return (
    <>
      {'. '}
      {t('sign-in-settings.own-first')}{' '}
      <Anchor renderRoot={(props) => <Link to="/me" {...props} />} fz="inherit" underline="always">
        {t('sign-in-settings.to-own')}
      </Anchor>
    </>
  )
}

/** "1 of 4 has one; 2 sign in only with Entra ID; 1 person must set one up". */
function countWords(t: TFunction, found: SecondFactorOfRole, provider: string | undefined): string {
  const { required, people, with_factor: count, by_provider: byProvider } = found
  if (people === 0) return t('sign-in-settings.nobody')
  const missing = countMissing(found)
  return [
    t('sign-in-settings.have', { count, people }),
    byProvider > 0 && provider && t('sign-in-settings.by-provider', { count: byProvider, provider }),
    required && missing > 0 && t('sign-in-settings.must', { count: missing }),
  ]
    .filter(Boolean)
    .join('; ')
}

function countMissing({ people, with_factor: count, by_provider: byProvider }: SecondFactorOfRole): number {
  return people - count - byProvider
}
