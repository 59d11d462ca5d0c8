import { useTranslation } from 'react-i18next'
import type { Site } from '../../../../client/voucher-api.generated.ts'
import { toneOf } from '../../sites.ts'
import classes from './sites.module.css'

/** The state of a site as a coloured shape and a word. Without the word, it is hidden from screen readers. */
export function StateMark({ state, isBare = false }: { state: Site['state']; isBare?: boolean }) {
  const { t } = useTranslation()
  const dot = <span className={classes.dot} data-tone={toneOf(state)} aria-hidden />
  if (isBare) return dot
  return (
    <span className={classes.state}>
      {dot} {t(`sites-page.state-${state}`)}
    </span>
  )
}
