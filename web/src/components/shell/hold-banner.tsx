import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { holdQuery } from '../../queries/hold.ts'
import { usePerson } from '../../session.tsx'
import { useScopeZone } from '../../sites.ts'
import { Moment } from '../moment.tsx'
import { Notice } from '../notice.tsx'
import classes from './app-shell.module.css'

const titles = { restored: 'hold.restored', command: 'hold.held', trial: 'hold.trial' } as const

/** Tells managers and administrators on every page that the service is held, and how to end the hold. */
export function HoldBanner() {
  const { t } = useTranslation()
  const { role } = usePerson()
  const timeZone = useScopeZone()
  const { data: hold } = useQuery({ ...holdQuery, enabled: role !== 'desk' })
  if (!hold?.held_since) return null
  return (
    <div className={classes.hold}>
      <Notice tone="warn" title={t(titles[hold.reason ?? 'command'] ?? 'hold.held')}>
        <div>
          {hold.backup_taken_at && (
            <>
              {t('hold.backup-of')} <Moment at={hold.backup_taken_at} timeZone={timeZone} />.
            </>
          )}{' '}
          {t('hold.effect')}
        </div>
        <div>
          {t(hold.reason === 'trial' ? 'hold.remedy-trial' : 'hold.remedy')} <code>voucher-service resume</code>
        </div>
      </Notice>
    </div>
  )
}
