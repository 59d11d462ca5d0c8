import type { CSSProperties } from 'react'
import { useHouse } from '../house.ts'
import classes from './logo.module.css'

const accent = 'var(--mantine-color-indigo-7)'

/** The logo of the house, as wide as there is room, or the mark of the service: a ticket with Wi-Fi waves. */
export function Logo({ size, maxWidth = size }: { size: number; maxWidth?: number }) {
  const { logo } = useHouse()
  if (logo) return <HouseLogo style={fitWithin(maxWidth, size)} />
  // `web/public/favicon.svg` is the same drawing.
  return (
    <svg width={size} height={size} viewBox="0 0 40 40" aria-hidden="true" style={{ flexShrink: 0, display: 'block' }}>
      <rect width="40" height="40" rx="10" style={{ fill: accent }} />
      <path
        fill="#fff"
        d="M10.5 11h19a2 2 0 0 1 2 2v3.6a3.4 3.4 0 0 0 0 6.8V27a2 2 0 0 1-2 2h-19a2 2 0 0 1-2-2v-3.6a3.4 3.4 0 0 0 0-6.8V13a2 2 0 0 1 2-2z"
      />
      <g fill="none" strokeWidth="2" strokeLinecap="round" style={{ stroke: accent }}>
        <path d="M14.2 18.4a8.2 8.2 0 0 1 11.6 0" />
        <path d="M17 21.4a4.3 4.3 0 0 1 6 0" />
      </g>
      <circle cx="20" cy="24.6" r="1.5" style={{ fill: accent }} />
    </svg>
  )
}

/** The logo of the house; nothing if there is none. It has no text, because it is beside the name or the site. */
export function HouseLogo({ style }: { style: CSSProperties }) {
  const { logo } = useHouse()
  return (
    logo && <img className={classes.logo} src={logo.url} width={logo.width} height={logo.height} alt="" style={style} />
  )
}

/** The size of a logo at its own proportions, within these limits. */
export function fitWithin(maxWidth: number | string, maxHeight: number): CSSProperties {
  return { width: 'auto', height: 'auto', maxWidth, maxHeight }
}
