import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './settings.module.css'

type Props = { title: string; text: ReactNode; isHeading?: boolean; children: ReactNode }

/** A title with a text below, and a switch at the right. */
export function SwitchRow({ title, text, isHeading = false, children }: Props) {
  return (
    <div className={classes.switch}>
      <div>
        <Text component={isHeading ? 'h2' : 'div'} fz={14} lh="20px" fw={isHeading ? 600 : 500} m={0}>
          {title}
        </Text>
        <Text component="div" fz={13.5} lh="20px" c="dimmed">
          {text}
        </Text>
      </div>
      {children}
    </div>
  )
}
