import { Anchor, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Controller } from '../../../../client/voucher-api.generated.ts'
import { type DriverName, driverKinds } from '../../components/controller/use-connection-test.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { Panel } from '../../components/panel.tsx'
import { SecretInput } from '../../components/password-field.tsx'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { updateController } from '../../queries/controllers.ts'
import { foundSitesQuery } from '../../queries/found-sites.ts'
import { useKnownSites } from '../../sites.ts'
import classes from './sites.module.css'

type Props = {
  controller: Controller
  /** On the page of a site: the site whose neighbours are listed. On the page of the controller it is missing. */
  exceptSite?: number
  onChanged: () => void
}

/** The access to a controller. Its secret is never shown. */
export function ControllerFacts({ controller, exceptSite, onChanged }: Props) {
  const { t } = useTranslation()
  const [isEditing, setIsEditing] = useState(false)
  const isLogin = driverKinds[controller.driver as DriverName] === 'login'
  const edit = (
    <Anchor component="button" fz={13.5} fw={500} onClick={() => setIsEditing(true)}>
      {t('sites-page.edit-controller')}
    </Anchor>
  )
  return (
    <Panel title={t('sites-page.controller')} actions={edit}>
      <dl className={classes.facts}>
        <dt>{t('sites-page.name')}</dt>
        <dd>
          {exceptSite === undefined ? (
            controller.name
          ) : (
            <Anchor
              inherit
              renderRoot={(props) => (
                <Link to="/sites/controllers/$controllerId" params={{ controllerId: controller.id }} {...props} />
              )}
            >
              {controller.name}
            </Anchor>
          )}
        </dd>
        <dt>{t('sites-page.address')}</dt>
        <dd>{controller.address}</dd>
        {isLogin && (
          <>
            <dt>{t('controller-form.username')}</dt>
            <dd>{controller.username ?? '–'}</dd>
          </>
        )}
        <dt>{t(isLogin ? 'controller-form.password' : 'controller-form.key')}</dt>
        <dd>
          <Text span inherit c={controller.has_secret ? 'dimmed' : 'var(--vs-bad-text)'}>
            {t(controller.has_secret ? 'sites-page.stored' : 'sites-page.not-stored')}
          </Text>
        </dd>
        <dt>{t('sites-page.certificate')}</dt>
        <dd>
          <CertificateFact controller={controller} />
        </dd>
        {exceptSite !== undefined && (
          <>
            <dt>{t('sites-page.also')}</dt>
            <dd>
              <Neighbours controllerId={controller.id} controllerSites={controller.sites} exceptSite={exceptSite} />
            </dd>
          </>
        )}
      </dl>
      {isEditing && <EditDialog controller={controller} onClose={() => setIsEditing(false)} onChanged={onChanged} />}
    </Panel>
  )
}

function CertificateFact({ controller: { address, certificate_pin } }: { controller: Controller }) {
  const { t } = useTranslation()
  if (address.startsWith('http:'))
    return (
      <Text span inherit c="var(--vs-warn-text)">
        {t('sites-page.certificate-none')}
      </Text>
    )
  if (certificate_pin === null) return t('sites-page.certificate-public')
  return (
    <Text span ff="monospace" fz={13} title={certificate_pin}>
      {`${certificate_pin.slice(0, 17)}…`}
    </Text>
  )
}

const namedAtMost = 3

type NeighboursProps = { controllerId: string; controllerSites: number; exceptSite: number }

function Neighbours({ controllerId, controllerSites, exceptSite }: NeighboursProps) {
  const { t } = useTranslation()
  const { sites = [], summary } = useKnownSites()
  const search = { controller_id: controllerId, limit: namedAtMost + 1 }
  const { data } = useQuery({ ...foundSitesQuery(search), enabled: summary !== undefined })
  const onController = summary ? (data?.sites ?? []) : sites.filter((site) => site.controller_id === controllerId)
  const others = onController.filter(({ id }) => id !== exceptSite)
  if (others.length === 0) return summary && !data ? '' : t('sites-page.no-other')
  const named = others.slice(0, namedAtMost).map(({ name }) => name)
  const more = (summary ? controllerSites - 1 : others.length) - named.length
  return [...named, ...(more > 0 ? [t('sites-page.others', { count: more })] : [])].join(', ')
}

type EditProps = { controller: Controller; onClose: () => void; onChanged: () => void }

/** A new address needs the secret again: the service erases the stored one, so that it is never sent to another server. */
function EditDialog({ controller, onClose, onChanged }: EditProps) {
  const { t } = useTranslation()
  const isLogin = driverKinds[controller.driver as DriverName] === 'login'
  const { form, ...save } = useSaveForm({
    initialValues: {
      name: controller.name,
      address: controller.address,
      username: controller.username ?? '',
      secret: '',
    },
    validate: {
      name: (name) => (name.trim() === '' ? t('sites-page.name-missing') : null),
      secret: (secret, { address, username }) => {
        if (secret !== '') return null
        if (address.trim() !== controller.address) return t('sites-page.secret-for-address')
        return isLogin && username.trim() !== (controller.username ?? '') ? t('sites-page.secret-for-username') : null
      },
    },
    toFields: ({ name, address, username, secret }) => ({
      name: name.trim(),
      address: address.trim(),
      // The service takes a username only together with its password.
      ...(secret !== '' && { secret, ...(isLogin && { username: username.trim() }) }),
    }),
    update: updateController(controller.id),
    fields: { controller_name_taken: 'name', display_name_invalid: 'name' },
    onSaved: () => {
      notifications.show({ message: t('actions.saved') })
      onClose()
      onChanged()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title={t('sites-page.controller-title', { name: controller.name })}
      form={save}
      action={t('actions.save')}
    >
      <TextInput data-autofocus label={t('sites-page.name')} {...form.getInputProps('name')} />
      <TextInput
        label={t('sites-page.address')}
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps('address')}
      />
      {isLogin && (
        <TextInput
          label={t('controller-form.username')}
          spellCheck={false}
          autoComplete="off"
          {...form.getInputProps('username')}
        />
      )}
      <SecretInput
        label={t(isLogin ? 'controller-form.password' : 'controller-form.key')}
        description={t('controller-form.stored')}
        autoComplete="new-password"
        {...form.getInputProps('secret')}
      />
    </FormDialog>
  )
}
