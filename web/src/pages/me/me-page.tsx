import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core'
import { isNotEmpty } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { PageTitle } from '../../components/page-title.tsx'
import { Panel } from '../../components/panel.tsx'
import secondFactorDe from '../../components/second-factor/de.json' with { type: 'json' }
import secondFactorEn from '../../components/second-factor/en.json' with { type: 'json' }
import { PreferenceControls } from '../../components/shell/person-panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { updateMe } from '../../queries/my-account.ts'
import { mySecondFactorsQuery } from '../../queries/second-factor.ts'
import { useMustSetUp, usePerson } from '../../session.tsx'
import { useScopeZone } from '../../sites.ts'
import { AppPanel } from './app-panel.tsx'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { FactorState } from './factor-state.tsx'
import { IdentityPanel } from './identity-panel.tsx'
import classes from './me.module.css'
import { PasskeysPanel } from './passkeys-panel.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { SessionList } from './session-list.tsx'
import { SharedDesk } from './shared-desk.tsx'

addTexts({ de, en })
addTexts({ de: secondFactorDe, en: secondFactorEn })

/**
 * The account page: second factors, password, sessions, name, language and theme. A person who must set up a second factor sees
 * only that.
 */
export function MePage() {
  const { t } = useTranslation()
  const isManager = usePerson().role !== 'desk'
  const mustSetUp = useMustSetUp()
  const { data: factors, error, refetch } = useQuery(mySecondFactorsQuery)
  const state = useRef<HTMLDivElement>(null)
  const isLast = factors?.required === true && factors.passkeys.length + Number(factors.app !== null) === 1
  return (
    <>
      <PageTitle title={t('person.own-page')} timeZone={useScopeZone()} />
      <div className={classes.columns}>
        <div className={classes.column}>
          <div ref={state} tabIndex={-1}>
            {error && !factors && <ErrorMessage error={error} onRetry={() => void refetch()} />}
            {factors ? <FactorState factors={factors} /> : !error && <Skeleton h={52} radius="lg" />}
          </div>
          {factors && <PasskeysPanel passkeys={factors.passkeys} isLast={isLast} />}
        </div>
        <div className={`${classes.column} ${classes.right}`}>
          {factors && <AppPanel app={factors.app} isLast={isLast} onTurnedOn={() => state.current?.focus()} />}
          {!mustSetUp && (
            <>
              <PasswordPanel />
              <IdentityPanel />
              <Panel title={t('me.person')}>
                <NameForm />
              </Panel>
            </>
          )}
        </div>
        {!mustSetUp && (
          <div className={classes.column}>
            <SessionList />
            <Panel title={t('me.display')}>
              <PreferenceControls />
            </Panel>
            {isManager && (
              <Panel title={t('me.this-browser')}>
                <SharedDesk />
              </Panel>
            )}
          </div>
        )}
      </div>
    </>
  )
}

function NameForm() {
  const { t } = useTranslation()
  const person = usePerson()
  const { form, element, isSaving, error } = useSaveForm({
    initialValues: { name: person.name },
    validateInputOnBlur: true,
    validate: { name: isNotEmpty(t('person.name-missing')) },
    toFields: ({ name }) => ({ name }),
    update: updateMe,
    onSaved: () => notifications.show({ message: t('actions.saved') }),
  })
  return (
    <form {...element}>
      <Stack gap="md">
        <TextInput autoComplete="name" label={t('person.name')} {...form.getInputProps('name')} />
        <TextInput
          readOnly
          label={t('sign-in.email')}
          description={t('me.email-fixed')}
          value={person.email}
          styles={{ input: { background: 'var(--vs-nav)', borderColor: 'var(--vs-line-2)' } }}
        />
        {error && <ErrorMessage error={error} />}
        <Group>
          <Button type="submit" variant="default" loading={isSaving}>
            {t('me.save-name')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
