import { Anchor, Button, Group, NumberInput, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MailServer, MailServerChange, MailSettings } from '../../../../../client/voucher-api.generated.ts'
import { ChoiceField } from '../../../components/choice-field.tsx'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { Panel } from '../../../components/panel.tsx'
import { SecretInput } from '../../../components/password-field.tsx'
import { ErrorMessage } from '../../../components/state-pages.tsx'
import { useLayout } from '../../../hooks/use-layout.ts'
import { useSaveForm } from '../../../hooks/use-save-form.ts'
import { deleteMailServer, updateMailServer } from '../../../queries/mail.ts'
import { usePerson } from '../../../session.tsx'
import classes from './email.module.css'

/** The same in every language. */
const exampleHost = 'smtp.provider.example'

export type Security = MailServer['security']
const usualPorts: Record<Security, number> = { starttls: 587, tls: 465, none: 25 }
const securities = Object.keys(usualPorts) as Security[]

type Values = {
  host: string
  port: number | ''
  security: Security
  username: string
  password: string
  certificate_pin: string | null
}

const toFields = ({ host, port, username, password, ...rest }: Values): MailServerChange => ({
  ...rest,
  host: host.trim(),
  port: Number(port),
  username: username.trim() === '' ? null : username.trim(),
  ...(password !== '' && { password }),
})

function valuesOf(server: MailServer | null): Values {
  const { host = '', security = 'starttls', username = '', certificate_pin = null } = server ?? {}
  return {
    host,
    port: server?.port ?? usualPorts[security],
    security,
    username: username ?? '',
    password: '',
    certificate_pin,
  }
}

/** The form of the mail server. `change` sets some fields and saves at once, for the remedies of the test. */
export function useServerForm({ server }: MailSettings, onSaved: () => void) {
  const { t } = useTranslation()
  // The service wants the password again when the server changes. A password that was typed on this page need not be typed twice.
  const typed = useRef('')
  const start = valuesOf(server)
  const isMoved = (values: Values) =>
    (['host', 'port', 'security', 'certificate_pin'] as const).some((field) => values[field] !== start[field])
  const before = toFields(start)
  const isChange = (fields: MailServerChange) =>
    !server || Object.entries(fields).some(([field, value]) => before[field as keyof MailServerChange] !== value)
  const { form, ...save } = useSaveForm({
    initialValues: start,
    validate: {
      host: (host) => (host.trim() === '' ? t('email.host-missing') : null),
      port: (port) => (port === '' || port < 1 || port > 65_535 ? t('email.port-wrong') : null),
      username: (username, { security, password }) => {
        if (security === 'none' && username.trim() !== '') return t('email.none-without-password')
        return username.trim() === '' && password !== '' ? t('email.username-missing') : null
      },
      password: (password, values) => {
        if (password !== '' || values.username.trim() === '' || values.security === 'none') return null
        if (!server?.password_set) return t('email.password-missing')
        return isMoved(values) ? t('email.password-again') : null
      },
    },
    // All fields, because the password must accompany a change of others. Without a change, only the test follows.
    toFields: (values) => {
      const fields = toFields(values)
      return isChange(fields) ? fields : {}
    },
    create: updateMailServer,
    onSaved: () => {
      typed.current = form.getValues().password || typed.current
      form.setFieldValue('password', '')
      form.resetDirty()
      onSaved()
    },
  })
  const change = (fields: Partial<Values>) => {
    form.setValues({ password: typed.current, ...fields })
    save.element.onSubmit()
  }
  return { form, ...save, change }
}

type Props = {
  settings: MailSettings
  server: ReturnType<typeof useServerForm>
  onTest: () => void
  isTesting: boolean
}

export function MailServerPanel({ settings, server, onTest, isTesting }: Props) {
  const { t } = useTranslation()
  const { email } = usePerson()
  const { form, element, isSaving, error } = server
  const [isRemoving, setIsRemoving] = useState(false)
  const isPhone = useLayout() === 'phone'
  const variable = settings.set_by.server
  const isFixed = variable !== null
  const { certificate_pin: pin, security } = form.values
  const chooseSecurity = (next: Security) => {
    const { port } = form.values
    form.setValues({ security: next, ...(port === usualPorts[security] && { port: usualPorts[next] }) })
  }
  return (
    <Panel
      title={t('email.server')}
      actions={
        settings.server &&
        !isFixed && (
          <Anchor component="button" type="button" fz={13.5} fw={500} onClick={() => setIsRemoving(true)}>
            {t('email.remove')}
          </Anchor>
        )
      }
    >
      {!settings.server && (
        <Text fz={13.5} c="dimmed">
          {t('email.none-yet')}
        </Text>
      )}
      {isFixed && <Text fz={13.5}>{t('email.fixed', { variable })}</Text>}
      <form {...element} className={classes.form}>
        <div className={classes.host}>
          <TextInput
            label={t('email.host')}
            placeholder={exampleHost}
            inputMode="url"
            autoCapitalize="off"
            autoComplete="off"
            spellCheck={false}
            disabled={isFixed}
            {...form.getInputProps('host')}
          />
          <NumberInput label={t('email.port')} disabled={isFixed} {...form.getInputProps('port')} />
        </div>
        <ChoiceField
          label={t('email.encryption')}
          help={t('email.encryption-what')}
          disabled={isFixed}
          orientation={isPhone ? 'vertical' : 'horizontal'}
          data={securities.map((value) => ({ value, label: t(`email.security-${value}`) }))}
          value={security}
          onChange={chooseSecurity}
        />
        {pin !== null && (
          <Text fz={13} c="dimmed">
            {t('email.pinned', { start: pin.slice(0, 23) })}{' '}
            {!isFixed && (
              <Anchor
                component="button"
                type="button"
                fz="inherit"
                fw={500}
                onClick={() => form.setFieldValue('certificate_pin', null)}
              >
                {t('email.unpin')}
              </Anchor>
            )}
          </Text>
        )}
        <div>
          <div className={classes.login}>
            <TextInput
              label={t('email.username')}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              disabled={isFixed}
              {...form.getInputProps('username')}
            />
            <SecretInput
              label={t('email.password')}
              autoComplete="new-password"
              placeholder={settings.server?.password_set ? t('email.password-stored') : ''}
              disabled={isFixed}
              {...form.getInputProps('password')}
            />
          </div>
          <Text fz="xs" c="dimmed" mt={5}>
            {t('email.login-what')}
          </Text>
        </div>
        {error ? <ErrorMessage error={error} /> : null}
        <Group gap={14}>
          {isFixed ? (
            <Button loading={isTesting} onClick={onTest}>
              {t('email.test-now')}
            </Button>
          ) : (
            <Button type="submit" loading={isSaving || isTesting}>
              {t('email.save-and-test')}
            </Button>
          )}
          <Text fz={13.5} c="dimmed" className={classes.to ?? ''}>
            {t('email.goes-to', { address: email })}
          </Text>
        </Group>
      </form>
      <RemoveDialog
        opened={isRemoving}
        onClose={() => setIsRemoving(false)}
        onRemoved={() => form.setValues(valuesOf(null))}
      />
    </Panel>
  )
}

type RemoveProps = { opened: boolean; onClose: () => void; onRemoved: () => void }

function RemoveDialog({ opened, onClose, onRemoved }: RemoveProps) {
  const { t } = useTranslation()
  const remove = useMutation({
    ...deleteMailServer,
    onSuccess: () => {
      notifications.show({ message: t('email.removed') })
      onRemoved()
      onClose()
    },
  })
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={t('email.remove-title')}
      action={t('email.remove-action')}
      mutation={remove}
    >
      {t('email.remove-text')}
    </ConfirmDialog>
  )
}
