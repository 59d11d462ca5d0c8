import { Paper, Select, Skeleton, Switch, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SignInProvider, SignInSettings } from '../../../../../client/voucher-api.generated.ts'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { Moment } from '../../../components/moment.tsx'
import { showFailure } from '../../../components/show-failure.ts'
import { allStaffQuery } from '../../../queries/people.ts'
import { secondFactorSettingsQuery } from '../../../queries/second-factor-settings.ts'
import { updateSignInSettings } from '../../../queries/sign-in-settings.ts'
import { useScopeZone } from '../../../sites.ts'
import { SwitchRow } from '../switch-row.tsx'
import { Names } from './names.tsx'
import classes from './sign-in.module.css'

const commandOfPasswords = 'voucher-service staff allow-passwords'
const namesShown = 20

type Props = { settings: SignInSettings; provider: SignInProvider }

/** Who may sign in with a password, the account for emergencies, and whether the provider's page opens at once. */
export function PasswordPanel({ settings, provider }: Props) {
  const { t } = useTranslation()
  const [isAsked, setIsAsked] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    ...updateSignInSettings,
    onSuccess: () => {
      notifications.show({ message: t('actions.saved') })
      setIsAsked(false)
    },
    onError: (failure) => !isAsked && showFailure(t, failure),
  })
  const { enabled } = settings.password_sign_in
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.panel ?? ''}>
      <SwitchRow
        isHeading
        title={t('sign-in-settings.passwords')}
        text={<PasswordText settings={settings} provider={provider.name} />}
      >
        <Switch
          aria-label={t('sign-in-settings.passwords')}
          checked={enabled}
          disabled={isPending || (enabled && settings.password_sign_in.missing.length > 0)}
          onChange={({ currentTarget: { checked } }) =>
            checked ? mutate({ password_sign_in: true }) : setIsAsked(true)
          }
        />
      </SwitchRow>
      <BreakGlass
        settings={settings}
        provider={provider.name}
        isBusy={isPending}
        onChoose={(id) => mutate({ break_glass_id: id })}
      />
      <SwitchRow
        isHeading
        title={t('sign-in-settings.at-once', { provider: provider.name })}
        text={t('sign-in-settings.at-once-text')}
      >
        <Switch
          aria-label={t('sign-in-settings.at-once', { provider: provider.name })}
          checked={provider.starts_at_once}
          disabled={isPending}
          onChange={({ currentTarget }) => mutate({ starts_at_once: currentTarget.checked })}
        />
      </SwitchRow>
      {isAsked && (
        <SwitchOff
          settings={settings}
          provider={provider}
          onClose={() => {
            setIsAsked(false)
            reset()
          }}
          mutation={{ mutate: () => mutate({ password_sign_in: false }), isPending, error }}
        />
      )}
    </Paper>
  )
}

function PasswordText({ settings, provider }: { settings: SignInSettings; provider: string }) {
  const { t } = useTranslation()
  const { enabled, missing } = settings.password_sign_in
  if (!enabled)
    return (
      <>
        {t('sign-in-settings.passwords-off', { provider })} {t('sign-in-settings.passwords-lost')}{' '}
        <span className={`code ${classes.command}`}>{commandOfPasswords}</span>
      </>
    )
  if (missing.length === 0) return t('sign-in-settings.passwords-on', { provider })
  return missing.map((what) => t(`sign-in-settings.missing-${what}`, { provider, defaultValue: what })).join(' ')
}

type SwitchOffProps = Props & Pick<ComponentProps<typeof ConfirmDialog>, 'onClose' | 'mutation'>

/** Names the people who could not sign in any more without a password. */
function SwitchOff({ settings, provider: { name: provider, issuer }, mutation, onClose }: SwitchOffProps) {
  const { t } = useTranslation()
  const { data: staff, error: staffError } = useQuery(allStaffQuery)
  const { break_glass: account } = settings
  const shutOut = staff?.filter(
    ({ id, active, identity }) => active && id !== account?.staff_id && identity?.issuer !== issuer,
  )
  const names = shutOut?.slice(0, namesShown).map(({ name }) => name) ?? []
  const count = shutOut?.length ?? 0
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t('sign-in-settings.passwords-off-title')}
      action={t('sign-in-settings.passwords-off-submit')}
      isReady={shutOut !== undefined}
      mutation={{ ...mutation, error: mutation.error ?? staffError }}
    >
      <Text mb="sm">{t('sign-in-settings.passwords-off-text', { provider, account: account?.email ?? '' })}</Text>
      {!shutOut && !staffError && <Skeleton h={20} />}
      {shutOut && count === 0 && <Text>{t('sign-in-settings.shut-out-none', { provider })}</Text>}
      {count > 0 && (
        <Text>
          {t('sign-in-settings.shut-out', { count, provider })} <Names names={names} count={count} />
        </Text>
      )}
    </ConfirmDialog>
  )
}

type BreakGlassProps = {
  settings: SignInSettings
  provider: string
  isBusy: boolean
  onChoose: (id: string | null) => void
}

function BreakGlass({ settings, provider, isBusy, onChoose }: BreakGlassProps) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const { break_glass: account } = settings
  const { data: staff = [] } = useQuery(allStaffQuery)
  const { data: factors } = useQuery(secondFactorSettingsQuery)
  const administrators = staff.filter(({ role, state }) => role === 'admin' && state === 'active')
  const choices = administrators
    .filter((person) => !person.rights_from_groups)
    .map(({ id, name, email }) => ({ value: id, label: `${name} · ${email}` }))
  const listed = administrators.find(({ id }) => id === account?.staff_id)
  const isFactorMissing = listed?.second_factors.length === 0 && factors?.roles.admin.required === true
  const chosen = account && !listed ? [{ value: account.staff_id, label: account.email }] : []
  return (
    <div className={classes.part}>
      <Title order={2} fz={14} lh="20px" id="break-glass">
        {t('sign-in-settings.break-glass')}
      </Title>
      <Text fz={13.5} c="dimmed" lh="20px">
        {t('sign-in-settings.break-glass-text', { provider })}
      </Text>
      <Select
        mt={8}
        classNames={{ input: classes.chosen ?? '' }}
        aria-labelledby="break-glass"
        placeholder={t('sign-in-settings.choose-person')}
        data={[...chosen, ...choices]}
        value={account?.staff_id ?? null}
        allowDeselect={settings.password_sign_in.enabled}
        disabled={isBusy}
        onChange={onChoose}
      />
      {account && (
        <Text fz={13} c="dimmed" mt={8}>
          {listed && (
            <>
              <Text component="span" fz="inherit" {...(isFactorMissing && { c: 'var(--vs-warn-text)' })}>
                {t(`sign-in-settings.factor-${listed.second_factors[0] ?? 'none'}`)}
              </Text>
              {' · '}
            </>
          )}
          {t('sign-in-settings.last-used')}{' '}
          {account.last_used_at ? <Moment at={account.last_used_at} timeZone={timeZone} /> : t('settings.never')}
          {' · '}
          {t('sign-in-settings.in-audit')}
        </Text>
      )}
    </div>
  )
}
