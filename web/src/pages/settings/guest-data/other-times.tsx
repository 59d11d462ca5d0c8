import { Anchor, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestDataSettings } from '../../../../../client/voucher-api.generated.ts'
import { Moment } from '../../../components/moment.tsx'
import { useScopeZone } from '../../../sites.ts'
import classes from './guest-data.module.css'
import { OtherTimeDialog } from './other-time-dialog.tsx'

type Exception = GuestDataSettings['exceptions'][number]

/** The sites that forget guests after another time, or never. */
export function OtherTimes({ settings }: { settings: GuestDataSettings }) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  const [open, setOpen] = useState<Exception | 'new'>()
  const { exceptions } = settings
  return (
    <>
      {exceptions.length > 0 && (
        <div className={classes.times}>
          <table className={classes.table} aria-label={t('guest-data.other-times')}>
            <thead>
              <tr>
                <th scope="col">{t('guest-data.other-times')}</th>
                <th scope="col">{t('guest-data.days')}</th>
                <th scope="col">{t('guest-data.by')}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {exceptions.map((exception) => (
                <tr key={exception.site_id}>
                  <th scope="row">
                    {exception.site}
                    <span className={`${classes.second} ${classes.onPhone}`}>
                      {exception.changed_by}, <Moment at={exception.changed_at} timeZone={timeZone} />
                    </span>
                  </th>
                  <td>
                    {exception.forget_after_days ?? (
                      <Text span inherit c="var(--vs-warn-text)">
                        {t('guest-data.never')}
                      </Text>
                    )}
                  </td>
                  <td className={classes.dimmed}>
                    {exception.changed_by}, <Moment at={exception.changed_at} timeZone={timeZone} />
                  </td>
                  <td>
                    <Anchor
                      component="button"
                      type="button"
                      fz="inherit"
                      fw={500}
                      aria-label={t('guest-data.change-of', { site: exception.site })}
                      onClick={() => setOpen(exception)}
                    >
                      {t('guest-data.change')}
                    </Anchor>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className={classes.under}>
        {exceptions.length === 0 && (
          <Text fz={13} c="dimmed">
            {t('guest-data.same-time')}
          </Text>
        )}
        <Anchor component="button" type="button" fw={500} className={classes.add ?? ''} onClick={() => setOpen('new')}>
          <IconPlus size={16} aria-hidden /> {t('guest-data.add-site')}
        </Anchor>
      </div>
      {open && (
        <OtherTimeDialog
          settings={settings}
          exception={open === 'new' ? undefined : open}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  )
}
