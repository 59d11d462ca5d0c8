import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** Says that a list is empty and why, and offers what to do next. */
export function EmptyState({ title, text, children }: { title: string; text: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap={6} py={64} px="md" ta="center">
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw={440} mb={children ? 'sm' : 0}>
        {text}
      </Text>
      {children}
    </Stack>
  )
}
