import { Anchor, Skeleton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site } from '../../../../client/voucher-api.generated.ts'
import { FormDialog } from '../../components/dialog.tsx'
import { GuestInfoForm } from '../../components/guest-info/guest-info-form.tsx'
import { guestInfoForm, toGuestInfo } from '../../components/guest-info/guest-info-values.ts'
import { SlipPreview } from '../../components/guest-info/slip-preview.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { languageName } from '../../formats.ts'
import { useSaveForm } from '../../hooks/use-save-form.ts'
import { updateGuestInfo, useGuestInfo } from '../../queries/guest-info.ts'
import classes from './sites.module.css'

/** The facts that are printed on the slips of the site. */
export function GuestInfoPanel({ site }: { site: Site }) {
  const { t } = useTranslation()
  const [isEditing, setIsEditing] = useState(false)
  const { data, error, refetch } = useGuestInfo(site.id)
  const edit = data && (
    <Anchor component="button" fz={13.5} fw={500} onClick={() => setIsEditing(true)}>
      {t('sites-page.edit-slip')}
    </Anchor>
  )
  return (
    <Panel title={t('sites-page.slip')} actions={edit}>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={84} />}
      {data && <Facts info={data} />}
      {data && isEditing && <EditDialog site={site} info={data} onClose={() => setIsEditing(false)} />}
    </Panel>
  )
}

function Facts({ info }: { info: GuestInfo }) {
  const { t } = useTranslation()
  const languages = info.guest_languages.map(languageName)
  return (
    <dl className={classes.facts}>
      <dt>{t('sites-page.wifi')}</dt>
      <dd>{info.wifi_name ?? t('sites-page.wifi-none')}</dd>
      <dt>{t('sites-page.wifi-password')}</dt>
      <dd>{t(info.wifi_password_set ? 'sites-page.wifi-protected' : 'sites-page.wifi-open')}</dd>
      <dt>{t('sites-page.languages')}</dt>
      <dd>{languages.length > 0 ? languages.join(', ') : t('sites-page.languages-free')}</dd>
      <dt>{t('sites-page.time-zone')}</dt>
      <dd>{info.time_zone}</dd>
    </dl>
  )
}

function EditDialog({ site, info, onClose }: { site: Site; info: GuestInfo; onClose: () => void }) {
  const { t } = useTranslation()
  const { form, ...save } = useSaveForm({
    ...guestInfoForm(t, info),
    toFields: toGuestInfo,
    update: updateGuestInfo(site.id),
    onSaved: () => {
      notifications.show({ message: t('actions.saved') })
      onClose()
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title={t('sites-page.slip-of', { name: site.name })}
      form={save}
      action={t('actions.save')}
      size={920}
    >
      <div className={classes.detail}>
        <GuestInfoForm form={form} stored={info} />
        <SlipPreview siteName={site.name} values={form.values} stored={info} />
      </div>
    </FormDialog>
  )
}
