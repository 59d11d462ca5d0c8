import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, toApiError } from '../../api.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { Panel } from '../../components/panel.tsx'
import { PasswordField, usePasswordCheck, useVisibilityToggle } from '../../components/password-field.tsx'
import { PreferenceControls } from '../../components/shell/person-panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { sessionQuery, usePerson } from '../../session.tsx'
import { SessionList } from './session-list.tsx'

/** The account page: name, language, theme, password and sessions. */
export function MePage() {
  const { t } = useTranslation()
  return (
    <>
      <PageTitle title={t('person.own-page')} />
      <Stack gap={20} maw={720}>
        <Section title={t('me.person')}>
          <NameForm />
        </Section>
        <Section title={t('me.display')}>
          <PreferenceControls />
        </Section>
        <Section title={t('sign-in.password')}>
          <PasswordForm />
        </Section>
        <Section title={t('me.sessions')} text={t('me.sessions-text')}>
          <SessionList />
        </Section>
      </Stack>
    </>
  )
}

function Section({ children, ...panel }: { title: string; text?: string; children: ReactNode }) {
  return (
    <Panel {...panel}>
      <Stack gap="md" maw={440}>
        {children}
      </Stack>
    </Panel>
  )
}

function NameForm() {
  const { t } = useTranslation()
  const person = usePerson()
  const queries = useQueryClient()
  const form = useForm({
    initialValues: { name: person.name },
    validateInputOnBlur: true,
    validate: { name: isNotEmpty(t('first-run.name-missing')) },
  })
  const save = useMutation({
    mutationFn: ({ name }: { name: string }) => api.updateMe({ name }),
    onSuccess: (next) => {
      queries.setQueryData(sessionQuery.queryKey, (old) => old && { ...old, person: next })
      form.resetDirty()
      notifications.show({ message: t('me.saved') })
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="md">
        <TextInput autoComplete="name" label={t('person.name')} {...form.getInputProps('name')} />
        <TextInput
          readOnly
          label={t('sign-in.email')}
          description={t('me.email-fixed')}
          value={person.email}
          styles={{ input: { background: 'var(--vs-nav)', borderColor: 'var(--vs-line-2)' } }}
        />
        {save.error && !form.errors['name'] && <ErrorMessage error={save.error} />}
        <Group>
          <Button type="submit" variant="default" loading={save.isPending}>
            {t('me.save-name')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function PasswordForm() {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const check = usePasswordCheck()
  const toggle = useVisibilityToggle()
  const { email } = usePerson()
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: { current_password: isNotEmpty(t('sign-in.password-missing')), new_password: check },
  })
  const save = useMutation({
    mutationFn: (values: typeof form.values) => api.updateMyPassword(values),
    onSuccess: () => {
      form.reset()
      void queries.invalidateQueries({ queryKey: ['my-sessions'] }) // the others have ended
      notifications.show({ message: t('me.password-changed') })
    },
    onError: (error) => {
      const isWrong = toApiError(error).error === 'password_wrong'
      form.setErrors(isWrong ? { current_password: t('me.password-wrong') } : fieldErrors(error))
    },
  })
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="md">
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          autoComplete="current-password"
          label={t('me.current-password')}
          visibilityToggleButtonProps={toggle}
          {...form.getInputProps('current_password')}
        />
        <PasswordField
          label={t('password.new')}
          {...form.getInputProps('new_password')}
          value={form.values.new_password}
        />
        {save.error && Object.keys(form.errors).length === 0 && <ErrorMessage error={save.error} />}
        <Group>
          <Button type="submit" variant="default" loading={save.isPending}>
            {t('me.change-password')}
          </Button>
        </Group>
        <Text fz="xs" c="dimmed">
          {t('me.change-ends-sessions')}
        </Text>
      </Stack>
    </form>
  )
}

function fieldErrors(error: unknown): Record<string, string> {
  return Object.fromEntries(toApiError(error).errors.map(({ field, message }) => [field, message]))
}
