import { Anchor, Paper, Skeleton, Switch, Text, Title } from '@mantine/core'
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
import { administratorsQuery } from '../../../queries/people.ts'
import { secondFactorSettingsQuery, updateSecondFactorSettings } from '../../../queries/second-factor-settings.ts'
import { usePerson } from '../../../session.tsx'
import classes from './sign-in.module.css'
import { SwitchRow } from './switch-row.tsx'

type Role = SecondFactorRoles['required'][number]
const roles = ['admin', 'manager', 'desk'] as const

/** The roles that need a second factor, and how many people have one. */
export function SecondFactorPanel() {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(secondFactorSettingsQuery)
  const [asked, setAsked] = useState<Role>()
  const change = useMutation({
    ...updateSecondFactorSettings,
    onSuccess: () => {
      notifications.show({ message: t('settings.saved') })
      setAsked(undefined)
    },
    onError: (failure) => asked === undefined && showFailure(t, failure),
  })
  const isMissing = useOwnFactorMissing()
  if (!data) return error ? <ErrorMessage error={error} onRetry={() => void refetch()} /> : <Skeleton h={220} />
  const { roles: found } = data
  const set = (role: Role, isOn: boolean) =>
    change.mutate({ required: roles.filter((one) => (one === role ? isOn : found[one].required)) })
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.panel ?? ''}>
      <Title order={2} fz={15} lh="22px">
        {t('sign-in-settings.factors')}
      </Title>
      {roles.map((role) => {
        const isBlocked = isMissing(role) && !found[role].required
        return (
          <SwitchRow
            key={role}
            title={t(`roles.${role}`)}
            text={
              <>
                {countWords(t, found[role])}
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
          opened
          onClose={() => {
            setAsked(undefined)
            change.reset()
          }}
          title={t('sign-in-settings.require-title')}
          action={t('sign-in-settings.require-submit')}
          onConfirm={() => set(asked, true)}
          isBusy={change.isPending}
          error={change.error}
        >
          {t('sign-in-settings.require-text', { role: t(`roles.${asked}`) })} <MissingPeople role={found[asked]} />
        </ConfirmDialog>
      )}
    </Paper>
  )
}

/** The administrator's own role needs their own factor first. Otherwise this page would be closed to them. */
function useOwnFactorMissing(): (role: Role) => boolean {
  const me = usePerson()
  const { data: administrators } = useQuery(administratorsQuery)
  const own = administrators?.find(({ id }) => id === me.id)
  return (role) => role === me.role && own !== undefined && own.second_factors.length === 0
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

/** "1 of 2 has one; the other must set it up". */
function countWords(t: TFunction, { required, people, with_factor: count }: SecondFactorOfRole): string {
  if (people === 0) return t('sign-in-settings.nobody')
  const words = t('sign-in-settings.have', { count, people })
  const missing = people - count
  return required && missing > 0 ? `${words}; ${t('sign-in-settings.must', { count: missing })}` : words
}

function MissingPeople({ role: { people, with_factor: count, without_factor: names } }: { role: SecondFactorOfRole }) {
  const { t } = useTranslation()
  const more = people - count - names.length
  return (
    <Text component="span">
      {t('sign-in-settings.require-count', { count: people - count })} {names.join(', ')}
      {more > 0 && ` ${t('sign-in-settings.and-more', { count: more })}`}
    </Text>
  )
}
