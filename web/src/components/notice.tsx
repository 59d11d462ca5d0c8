import { Text } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './notice.module.css'

const icons = { bad: IconAlertCircle, warn: IconAlertTriangle, ok: IconCheck, plain: IconInfoCircle }

type Props = {
  tone: keyof typeof icons
  title?: string | undefined
  Icon?: typeof IconCheck
  /** A button at the right. */
  action?: ReactNode
  /** Errors are announced at once, everything else when the person pauses. `none` if the page announces it itself. */
  role?: 'alert' | 'status' | 'none'
  children?: ReactNode
}

/** A message inside a page: red for an error, amber for a warning, green for a success. */
export function Notice({ tone, title, Icon = icons[tone], action, role, children }: Props) {
  return (
    <div className={classes.notice} data-tone={tone} role={role ?? (tone === 'bad' ? 'alert' : 'status')}>
      <Icon size={20} stroke={1.7} aria-hidden />
      <div className={classes.text}>
        {title && (
          <Text fw={600} lh="20px">
            {title}
          </Text>
        )}
        {children && (
          <Text component="div" fz={13.5} lh="20px" {...(title && { mt: 2, c: 'dimmed' })}>
            {children}
          </Text>
        )}
      </div>
      {action}
    </div>
  )
}
