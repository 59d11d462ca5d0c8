import { Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './me.module.css'

type Props = { title: string; text?: ReactNode; actions?: ReactNode; children?: ReactNode }

/** A panel with its title and actions in one line. What is below reaches from edge to edge. */
export function RowsPanel({ title, text, actions, children }: Props) {
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)">
      <div className={classes.head}>
        <div style={{ flex: '1 1 200px', minWidth: 0 }}>
          <Title order={2}>{title}</Title>
          {text && (
            <Text fz={13.5} c="dimmed">
              {text}
            </Text>
          )}
        </div>
        {actions}
      </div>
      {children}
    </Paper>
  )
}
