import type { toneOf } from '../sites.ts'
import classes from './state-dot.module.css'

/** The state of a site as a coloured shape, the same everywhere. A word beside it says the state to screen readers. */
export function StateDot({ tone }: { tone: ReturnType<typeof toneOf> }) {
  return <span className={classes.dot} data-tone={tone} aria-hidden />
}
