import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { StateDot } from '../../components/state-dot.tsx'
import { orValue } from '../../newer-values.ts'
import { toneOf } from '../../sites.ts'
import classes from './sites.module.css'

/** The state of a site as a coloured shape and a word. Without the word, it is hidden from screen readers. */
export function StateMark({ state, isBare = false }: { state: Site['state']; isBare?: boolean }) {
  const { t } = useTranslation()
  const dot = <StateDot tone={toneOf(state)} />
  if (isBare) return dot
  return (
    <span className={classes.state}>
      {dot} {t(`sites-page.state-${state}`, orValue(state))}
    </span>
  )
}
