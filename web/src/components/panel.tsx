import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title?: string; text?: string; actions?: ReactNode; children: ReactNode }

/** A part of a page with a border and, if it has a title, the actions beside it. */
export function Panel({ title, text, actions, children }: Props) {
  return (
    <Paper component="section" withBorder radius="lg" p={20} bg="var(--vs-panel)">
      {title && (
        <div style={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 12, marginBottom: text ? 4 : 12 }}>
          <Title order={2} style={{ flex: '1 1 140px', minWidth: 0 }}>
            {title}
          </Title>
          {actions}
        </div>
      )}
      {text && (
        <Text c="dimmed" fz={13.5} mb="sm">
          {text}
        </Text>
      )}
      <Stack gap="md">{children}</Stack>
    </Paper>
  )
}
