import { Anchor, Paper, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MailSender, MailSettings } from '../../../../../client/voucher-api.generated.ts'
import classes from './email.module.css'
import { type ChosenSender, SenderDialog } from './sender-dialog.tsx'

/** In whose name messages are sent: the sender of all other sites, and those of single sites. */
export function SendersPanel({ settings }: { settings: MailSettings }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<ChosenSender>()
  const { sender, senders, set_by } = settings
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" className={classes.senders ?? ''}>
      <div className={classes.head}>
        <Title order={2}>{t('email.senders')}</Title>
        <Anchor component="button" type="button" fw={500} className={classes.add ?? ''} onClick={() => setOpen({})}>
          <IconPlus size={16} aria-hidden /> {t('email.add-site')}
        </Anchor>
      </div>
      <table className={classes.table} aria-label={t('email.senders')}>
        <thead>
          <tr>
            <th scope="col">{t('email.site')}</th>
            <th scope="col">{t('email.from')}</th>
            <th scope="col">{t('email.reply-to')}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          <Row
            name={t('email.other-sites')}
            sender={sender}
            note={set_by.sender && t('email.set-by', { variable: set_by.sender })}
            onEdit={() => setOpen({ siteId: null, name: t('email.other-sites'), sender })}
          />
          {senders.map(({ site_id: siteId, site, sender }) => (
            <Row
              key={siteId}
              name={site}
              sender={sender}
              note={null}
              onEdit={() => setOpen({ siteId, name: site, sender })}
            />
          ))}
        </tbody>
      </table>
      {open && <SenderDialog settings={settings} chosen={open} onClose={() => setOpen(undefined)} />}
    </Paper>
  )
}

/** `note` says why the sender cannot be changed here. */
type RowProps = { name: string; sender: MailSender | null; note: string | null; onEdit: () => void }

function Row({ name, sender, note, onEdit }: RowProps) {
  const { t } = useTranslation()
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {sender ? (
          <>
            <bdi>{sender.name}</bdi>
            <span className={classes.second}>{sender.address}</span>
          </>
        ) : (
          <Text span inherit c="var(--vs-warn-text)">
            {t('email.no-sender')}
          </Text>
        )}
      </td>
      <td className={classes.dimmed} data-label={t('email.reply-to')}>
        {sender?.reply_to ?? '–'}
      </td>
      <td>
        {note ?? (
          <Anchor
            component="button"
            type="button"
            fz="inherit"
            fw={500}
            aria-label={t('email.edit-of', { site: name })}
            onClick={onEdit}
          >
            {t('email.edit')}
          </Anchor>
        )}
      </td>
    </tr>
  )
}
