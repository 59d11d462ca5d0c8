import { Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Moment } from '../../components/moment.tsx'
import { orValue } from '../../newer-values.ts'
import { useScopeZone } from '../../sites.ts'
import type { Trouble } from './site-state.ts'
import classes from './sites.module.css'
import { StateMark } from './state-mark.tsx'

type Props = { troubles: Trouble[]; isAdmin: boolean; onShow: (controllerId: string) => void }

/** One line for each cause, with the one button that helps. */
export function TroubleList({ troubles, isAdmin, onShow }: Props) {
  const { t } = useTranslation()
  const timeZone = useScopeZone()
  if (troubles.length === 0) return null
  return (
    <ul className={classes.troubles} aria-label={t('sites-page.troubles')}>
      {troubles.map((trouble) => (
        <li key={`${trouble.controllerId} ${trouble.state}`} className={classes.trouble}>
          <StateMark state={trouble.state} isBare />
          <span className={classes.troubleText}>
            <Text component="span" fw={500}>
              {t(`sites-page.trouble-${trouble.state}`, { name: trouble.controllerName })}
            </Text>
            <Text component="span" c="dimmed" fz={13.5}>
              {trouble.since && (
                <>
                  {t('sites-page.began')} <Moment at={trouble.since} timeZone={timeZone} />
                  {' · '}
                </>
              )}
              <Why trouble={trouble} />
            </Text>
          </span>
          <Text component="span" c="dimmed" fz={13.5} style={{ whiteSpace: 'nowrap' }}>
            {t('sites-page.count', { count: trouble.siteCount })}
          </Text>
          <Remedy trouble={trouble} isAdmin={isAdmin} onShow={onShow} />
        </li>
      ))}
    </ul>
  )
}

function Why({ trouble: { state, reason } }: { trouble: Trouble }) {
  const { t } = useTranslation()
  if (state === 'unreachable') return t(`sites-page.reason-${reason ?? 'unknown'}`, orValue(reason ?? ''))
  return t(`sites-page.why-${state}`)
}

/** A controller with several sites has its own page. A manager cannot open it and sees its sites in the table. */
function Remedy({ trouble, isAdmin, onShow }: Omit<Props, 'troubles'> & { trouble: Trouble }) {
  const { t } = useTranslation()
  const { controllerId, controllerName, siteCount, siteId, state } = trouble
  const label = isAdmin ? t(`sites-page.remedy-${state}`) : t('sites-page.show')
  const button = { variant: 'default', size: 'xs', miw: 116, 'aria-label': `${label}: ${controllerName}` } as const
  if (siteCount === 1)
    return (
      <Button
        {...button}
        renderRoot={(props) => <Link to="/sites/$siteId" params={{ siteId: String(siteId) }} {...props} />}
      >
        {label}
      </Button>
    )
  if (isAdmin)
    return (
      <Button
        {...button}
        renderRoot={(props) => <Link to="/sites/controllers/$controllerId" params={{ controllerId }} {...props} />}
      >
        {label}
      </Button>
    )
  return (
    <Button {...button} onClick={() => onShow(controllerId)}>
      {label}
    </Button>
  )
}
